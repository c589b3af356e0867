import type { CallEnd } from "@parley/client";

const sentences: Readonly<Record<CallEnd["reason"], string>> = {
  user_hangup: "You hung up.",
  agent_hangup: "The agent hung up.",
  transferred: "The agent transferred the call.",
  voicemail: "The agent detected voicemail.",
  silence_timeout: "Neither side spoke for a while, so the agent ended the call.",
  max_duration: "The call reached the agent’s maximum duration.",
  dial_no_answer: "The call was not answered.",
  dial_busy: "The line was busy.",
  dial_failed: "The call could not be placed.",
  dial_rejected: "The call was declined.",
  canceled: "The call was canceled.",
  rejected_by_webhook: "The agent’s pre-call webhook rejected the call.",
  api_hangup: "The call was ended through the API.",
  node_lost: "The server of this call stopped.",
  media_timeout: "No audio was received from this browser.",
  connection_lost: "The connection was lost and could not be restored.",
  error_llm: "The language model failed.",
  error_stt: "Speech recognition failed.",
  error_tts: "The voice failed.",
  error_internal: "Something went wrong on the server.",
};

/** Why a call ended, for people. */
export function explainEnd({ reason, detail }: CallEnd): string {
  // A newer server may know more reasons.
  const sentence = sentences[reason] ?? `The call ended (${reason}).`;
  return detail === null ? sentence : `${sentence} ${detail}`;
}

/** Whether it went as calls go. */
export function isOrdinaryEnd({ reason }: CallEnd): boolean {
  return ["user_hangup", "agent_hangup", "transferred", "api_hangup", "silence_timeout"].includes(reason);
}
