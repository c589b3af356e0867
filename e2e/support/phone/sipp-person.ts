import type { CallDetail } from "@parley/contract";
import { endedCall, findCall } from "../platform/agents.ts";
import { type CapturedPacket } from "../audio/pcap.ts";
import type { Platform } from "../platform/platform.ts";
import { type CodecName, codecs } from "../audio/recordings.ts";
import { Sipp, type SippOptions } from "./sipp.ts";
import { answerOver, greetingOver } from "../audio/talk.ts";

export interface PersonOptions {
  from: string;
  number: string;
  /** Played after the greeting. */
  audio: readonly CapturedPacket[];
  /** @default "PCMU" */
  codec?: CodecName;
  /** Scenario with a cue to speak and one to hang up. @default "talk" */
  scenario?: string;
  transport?: SippOptions["transport"];
}

/** A person at SIPp: calls, speaks after the greeting, and hangs up after the answer. */
export async function talkBySipp(platform: Platform, options: PersonOptions): Promise<CallDetail> {
  const { from, number, audio, codec = "PCMU", scenario = "talk", transport = "udp" } = options;
  const values = { from, codec, payloadType: codecs[codec].payloadType };
  const sipp = await Sipp.start(scenario, { calledPort: platform.sipPort, number, transport, values, audio });
  const read = async (): Promise<CallDetail | undefined> => await findCall(platform, from);
  try {
    await Promise.race([greetingOver(read), sipp.endedEarly]);
    sipp.cue();
    await Promise.race([answerOver(read), sipp.endedEarly]);
    sipp.cue();
    await sipp.done;
    return await endedCall(platform, from);
  } catch (error) {
    throw new Error(`the talk from ${from} failed; the platform's last words:\n${platform.lastOutput}`, {
      cause: error,
    });
  } finally {
    await sipp.stop();
  }
}
