import { WidgetError } from "../api/widget-error.ts";
import { describeWait, fill, type Texts, type Wording } from "./wording.ts";

/** Texts by the codes of `WidgetError` and of the client's `JoinError`. */
const textOf: Readonly<Record<string, keyof Texts>> = {
  offline: "offline",
  not_available: "notAvailable",
  page_not_allowed: "pageNotAllowed",
  limit_reached: "tooManyRequests",
  message_limit_reached: "messageLimit",
  busy: "busy",
  call_lost: "callLost",
  outdated: "outdated",
  unsupported: "callsNotSupported",
  insecure_context: "callsNotSupported",
  microphone_denied: "microphoneDenied",
  microphone_missing: "microphoneMissing",
  microphone_busy: "microphoneBusy",
  microphone_lost: "microphoneLost",
  token_refused: "callFailed",
  already_joined: "callFailed",
  call_over: "callFailed",
  no_capacity: "busy",
  server_unreachable: "offline",
  connection_failed: "callFailed",
};

/** A failure in words that the visitor is shown: what is wrong and what to do. */
export function describeProblem(
  error: unknown,
  wording: Wording,
  now = new Date(),
): { code: string; message: string } {
  const code = error instanceof Error && "code" in error ? String(error.code) : "internal";
  const text = wording.texts[textOf[code] ?? "refused"];
  const wait = error instanceof WidgetError ? error.retryAfterSeconds : undefined;
  return { code, message: fill(text, { when: describeWait(wait, wording, now) }) };
}
