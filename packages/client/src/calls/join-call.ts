import { assertCanJoin, openMicrophone } from "./microphone.ts";
import { WebCall } from "./web-call.ts";
import { WhipSession } from "./whip-session.ts";

export interface JoinOptions {
  /** URL of the call, as returned by `startTestCall`. */
  url: string;
  /** Joins the call once. */
  token: string;
  /**
   * A device ID from `listMicrophones`, or a stream from `openMicrophone`, which the call stops. Default: the
   * browser's choice.
   */
  microphone?: string | MediaStream;
  /**
   * Whether the call ends at once when the page is closed or reloaded. If not, the server ends it 15 s later, as an interrupted one.
   *
   * @default true
   */
  endsWithPage?: boolean;
  /** Aborts joining. */
  signal?: AbortSignal;
}

/**
 * Joins a call from a browser: opens the microphone, connects and plays the agent. Resolves when audio flows.
 *
 * ```ts
 * const call = await joinCall(await parley.startTestCall(agentId));
 * call.on("item", ({ role, text }) => …);
 * call.on("ended", ({ reason }) => …);
 * ```
 *
 * The microphone is opened first: if access is denied, the call can still be joined later. After a lost
 * connection or a network change, the call finds another path or reconnects within 15 s, and the conversation
 * continues.
 *
 * @throws {JoinError} with a code and a message that can be shown.
 */
export async function joinCall({
  url,
  token,
  microphone,
  endsWithPage = true,
  signal,
}: JoinOptions): Promise<WebCall> {
  assertCanJoin();
  const joinSignal = signal ?? new AbortController().signal;
  joinSignal.throwIfAborted();
  const stream =
    microphone === undefined || typeof microphone === "string"
      ? await openMicrophone(microphone)
      : microphone;
  const call = new WebCall(new WhipSession(url, token), stream, endsWithPage);
  try {
    await call.connect(joinSignal);
    return call;
  } catch (error) {
    call.abandon();
    throw error;
  }
}
