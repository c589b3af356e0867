import { readFile } from "node:fs/promises";
import path from "node:path";
import { readWav } from "@parley/audio";
import { callWithRecordings } from "../../apps/server/src/demo/recorded-caller.ts";
import { Platform } from "../../e2e/support/platform/platform.ts";
import { percentile } from "../support/statistics.ts";

const recordings = path.join(import.meta.dirname, "../../apps/server/src/demo/recordings");
const questions = ["opening-hours.wav", "parking.wav", "price.wav"];
const numberOf = (index: number): string => `+1202555017${index}`;

/** Another agent for every call, so that no answer is cached from an earlier one. */
const agents = [
  { from: "nine", to: "one", price: "forty five", parking: "behind the building" },
  { from: "eight", to: "two", price: "fifty", parking: "in the next street" },
  { from: "ten", to: "four", price: "thirty five", parking: "under the station" },
  { from: "seven", to: "noon", price: "sixty", parking: "beside the church" },
];

export interface VoiceToVoiceFigures {
  /** Time from the end of a question to the first sound of its answer at the caller. */
  p50Ms: number;
  p95Ms: number;
  answers: number;
  /** Number of questions without an answer. */
  missed: number;
}

/** Places one call at a time to a whole platform with local speech and the built-in responder. */
export async function measureVoiceToVoice(): Promise<VoiceToVoiceFigures> {
  const lines = await Promise.all(
    questions.map(async (file) => readWav(await readFile(path.join(recordings, file))).pcm),
  );
  const platform = await Platform.start();
  try {
    const trunk = await platform.api.createSipTrunk({
      friendlyName: "Bench",
    });
    const delays: number[] = [];
    for (const [index, { from, to, price, parking }] of agents.entries()) {
      const agent = await platform.api.createAgent({
        name: `Receptionist ${index}`,
        sipTrunkId: trunk.id,
        firstMessage: "Hello, how can I help you?",
        promptTemplate: `You are a receptionist.\nOn Saturday we are open from ${from} to ${to}.\nThere is free parking ${parking}.\nA checkup costs ${price} pounds.`,
      });
      await platform.api.addPhoneNumber(agent.id, { e164: numberOf(index) });
      const { answers } = await callWithRecordings({
        sipPort: platform.sipPort,
        number: numberOf(index),
        lines,
      });
      delays.push(...answers.flatMap(({ afterMs }) => afterMs ?? []));
    }
    const asked = agents.length * questions.length;
    return {
      p50Ms: percentile(delays, 0.5),
      p95Ms: percentile(delays, 0.95),
      answers: delays.length,
      missed: asked - delays.length,
    };
  } finally {
    await platform.stop();
  }
}
