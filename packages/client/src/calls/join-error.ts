const messages = {
  unsupported: "joinCall needs a browser with WebRTC.",
  insecure_context: "Browsers allow the microphone only on pages loaded over HTTPS or from localhost.",
  microphone_denied: "Access to the microphone was denied. Allow it for this page in the browser's settings.",
  microphone_missing: "The microphone was not found. Connect or choose another one.",
  microphone_busy: "The microphone is used by another program or does not work.",
  microphone_lost: "The microphone was disconnected. Choose another one.",
  token_refused: "The token is not valid for this call.",
  already_joined: "This call was already joined, and a token can be used only once. Start a new call.",
  call_over: "The call has ended or does not exist.",
  no_capacity: "The server has no capacity for another call. Try again later.",
  server_unreachable: "The server could not be reached.",
  refused: "The server rejected the call.",
  connection_failed: "The audio connection failed. A firewall may block it.",
} as const;

/** Why joining a call failed. */
export type JoinErrorCode = keyof typeof messages;

/** A failure to join a call, or a microphone problem. The message can be shown to users. */
export class JoinError extends Error {
  override readonly name = "JoinError";
  readonly code: JoinErrorCode;

  constructor(code: JoinErrorCode, options: ErrorOptions & { detail?: string } = {}) {
    super(options.detail === undefined ? messages[code] : `${messages[code]} ${options.detail}`, options);
    this.code = code;
  }
}
