import { assertCanJoin, openMicrophone } from "./microphone.ts";
import { WebCall } from "./web-call.ts";
import { WhipSession } from "./whip-session.ts";

export interface JoinOptions {
  /** Of the call, as `startTestCall` gives it. */
  url: string;
  /** It joins the call once. */
  token: string;
  /** A device of `listMicrophones`, or what `openMicrophone` gave, which the call then ends; else the browser's choice. */
  microphone?: string | MediaStream;
  /** Gives up joining. */
  signal?: AbortSignal;
}

/**
 * Joins a call from a browser: takes the microphone, connects, plays what the agent says. Resolves when audio flows.
 *
 * ```ts
 * const call = await joinCall(await parley.startTestCall(agentId));
 * call.on("item", ({ role, text }) => …);
 * call.on("ended", ({ reason }) => …);
 * ```
 *
 * The microphone is taken first, so that a refusal leaves the call to be joined. A connection that is lost, or whose
 * network changes, gets another path or is made anew within 15 s, and the conversation goes on.
 *
 * @throws {JoinError} with a code and a sentence that can be shown.
 */
export async function joinCall({ url, token, microphone, signal }: JoinOptions): Promise<WebCall> {
  assertCanJoin();
  const isGivenUp = signal ?? new AbortController().signal;
  isGivenUp.throwIfAborted();
  const stream =
    microphone === undefined || typeof microphone === "string"
      ? await openMicrophone(microphone)
      : microphone;
  const call = new WebCall(new WhipSession(url, token), stream);
  try {
    await call.connect(isGivenUp);
    return call;
  } catch (error) {
    call.abandon();
    throw error;
  }
}
