import { CallDriver, type CallDriverOptions } from "./call-driver.ts";

export const LONG_ANSWER =
  "We have many rooms, all of them with a bath. Some of them look at the sea, others at the park.";

/** Starts a call in which the agent is giving a long answer. */
export async function callWithLongAnswer(options: CallDriverOptions = {}): Promise<CallDriver> {
  const call = new CallDriver({ replies: [LONG_ANSWER, "Very well."], ...options });
  call.start();
  await call.say("tell me about the rooms", 1000);
  await call.waitUntil(() => call.isSpeaking);
  return call;
}
