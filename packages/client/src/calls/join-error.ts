const messages = {
  unsupported: "joinCall needs a browser with WebRTC: it takes the microphone and plays what the agent says.",
  insecure_context: "A browser gives the microphone only to pages that came over HTTPS, or from localhost.",
  microphone_denied: "The microphone was refused. Allow it for this page in the browser's settings.",
  microphone_missing: "There is no microphone, or not the one that was asked for.",
  microphone_busy: "The microphone is in use by another program, or does not work.",
  microphone_lost: "The microphone has gone. Choose another one.",
  token_refused: "The token is not this call's.",
  already_joined: "This call was joined before, and its token joins once. Start a new call.",
  call_over: "The call is over, or there was none.",
  no_capacity: "The server has no free place for another call.",
  server_unreachable: "The server could not be reached.",
  refused: "The server refused the call.",
  connection_failed: "No audio connection came about. A firewall may be in the way.",
} as const;

/** Why a call could not be joined. */
export type JoinErrorCode = keyof typeof messages;

/** A call that could not be joined, or trouble with its microphone. The message can be shown to people. */
export class JoinError extends Error {
  override readonly name = "JoinError";
  readonly code: JoinErrorCode;

  constructor(code: JoinErrorCode, options: ErrorOptions & { detail?: string } = {}) {
    super(options.detail === undefined ? messages[code] : `${messages[code]} ${options.detail}`, options);
    this.code = code;
  }
}
