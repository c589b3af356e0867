/** A refusal of a request or of a WebSocket upgrade. */
export interface StatusFault {
  type: "status";
  status: number;
  /** The `Retry-After` header (RFC 9110 §10.2.3). */
  retryAfterS?: number;
}

/** The fault of one request. `after` counts the messages, or chunks of the reply, sent before it. */
export type ScriptedFault =
  | StatusFault
  /** The TCP connection is accepted and its request never answered. */
  | { type: "stallConnect" }
  /** Nothing more is sent; the connection stays open. */
  | { type: "stall"; after: number }
  /** Half open: nothing more is sent or read, and no ping answered. */
  | { type: "deaf"; after: number }
  /** The connection is cut without a message. */
  | { type: "close"; after: number }
  /** The connection is cut within a WebSocket message or an HTTP chunk. */
  | { type: "cutFrame"; after: number }
  /** The following bytes are not a frame of the protocol. */
  | { type: "badFrame"; after: number }
  /** Complete frames with invalid contents come between two messages. */
  | { type: "nonsense"; after: number };
