/** A refusal: of a request, or of the upgrade to a WebSocket. */
export interface StatusFault {
  type: "status";
  status: number;
  /** The `Retry-After` header (RFC 9110 section 10.2.3). */
  retryAfterS?: number;
}

/** What goes wrong with one request. `after` counts the messages (or chunks of the reply) sent before it. */
export type ScriptedFault =
  | StatusFault
  /** The TCP connection is taken, and its request never answered. */
  | { type: "stallConnect" }
  /** Nothing more is sent; the connection stays open. */
  | { type: "stall"; after: number }
  /** Half open: nothing more is sent or read, and no ping answered. */
  | { type: "deaf"; after: number }
  /** The connection is cut without a word. */
  | { type: "close"; after: number }
  /** The connection is cut in the middle of a frame: of a WebSocket message, or of an HTTP chunk. */
  | { type: "cutFrame"; after: number }
  /** What follows is no frame of the protocol. */
  | { type: "badFrame"; after: number }
  /** Between two messages come some that make no sense; whole frames, wrong contents. */
  | { type: "nonsense"; after: number };
