import type { CallDetail } from "@parley/contract";
import { setTimeout as sleep } from "node:timers/promises";
import { endedCall, findCall } from "../platform/agents.ts";
import { Baresip, type BaresipOptions } from "./baresip.ts";
import type { Platform } from "../platform/platform.ts";
import { readRecording } from "../audio/recordings.ts";
import { answerOver, greetingOver } from "../audio/talk.ts";

/** Time for the other end to play the last audio. */
const PLAYOUT_MS = 500;

export interface PersonOptions extends BaresipOptions {
  /** URI that baresip calls. */
  uri: string;
}

/** A person at baresip: calls, speaks after the greeting, and hangs up after the answer. `heard`: 8 kHz. */
export async function talkByBaresip(
  platform: Platform,
  { uri, ...options }: PersonOptions,
): Promise<{ call: CallDetail; heard: Int16Array }> {
  const { from } = options;
  const read = async (): Promise<CallDetail | undefined> => await findCall(platform, from);
  const baresip = await Baresip.start(options);
  let heard: Int16Array = new Int16Array(0);
  try {
    await baresip.dial(uri);
    await greetingOver(read);
    await baresip.say(await readRecording("go-forward.wav"));
    await answerOver(read);
    await sleep(PLAYOUT_MS);
    await baresip.hangUp();
  } finally {
    heard = await baresip.close();
  }
  return { call: await endedCall(platform, from), heard };
}
