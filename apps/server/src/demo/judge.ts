import type { CallDetail } from "@parley/contract";
import { connectInference } from "@parley/providers/local";
import { callerLines } from "./demo-agent.ts";
import type { RecordedCallResult } from "./recorded-caller.ts";
import { wordOverlap } from "./word-overlap.ts";

/** Recognizers err in a few words; if a caller was not understood or an agent not heard, far more are missing. */
const MIN_OVERLAP = 0.75;
const TRANSCRIPTION_DEADLINE_MS = 30_000;
const SAMPLE_RATE_HZ = 8000;
/** Longest audio that the recognizer accepts at once. */
const MAX_ANSWER_SAMPLES = 25 * SAMPLE_RATE_HZ;

export interface Verdict {
  isUnderstood: boolean;
  /** Share (0–1) of the caller's words that are in the transcript. */
  understoodShare: number;
  isHeard: boolean;
  /** Share (0–1) of the agent's words that were recognized in the audio received by the caller. */
  heardShare: number;
  /** Median time from the end of a question to the first sound of its answer at the caller; `null` without answers. */
  voiceToVoiceP50Ms: number | null;
}

/** Compares the recordings of both ends of the call. */
export async function judge({
  call,
  heard,
  inferencePath,
}: {
  call: CallDetail;
  heard: RecordedCallResult;
  inferencePath: string;
}): Promise<Verdict> {
  const said = callerLines.map(({ text }) => text).join(" ");
  const understood = textOf(call, "user");
  const understoodShare = wordOverlap(said, understood);
  const heardShare = wordOverlap(textOf(call, "agent"), await transcribe(heard, inferencePath));
  const delays = heard.answers.flatMap(({ afterMs }) => afterMs ?? []).sort((a, b) => a - b);
  return {
    isUnderstood: understoodShare >= MIN_OVERLAP,
    understoodShare,
    // The agent may answer a goodbye by hanging up.
    isHeard: heardShare >= MIN_OVERLAP && delays.length >= callerLines.length - 1,
    heardShare,
    voiceToVoiceP50Ms: delays[Math.floor((delays.length - 1) / 2)] ?? null,
  };
}

function textOf({ transcript }: CallDetail, role: "user" | "agent"): string {
  return transcript
    .filter((item) => item.role === role)
    .map(({ text }) => text)
    .join(" ");
}

async function transcribe({ answers }: RecordedCallResult, inferencePath: string): Promise<string> {
  const inference = connectInference({ path: inferencePath });
  try {
    const texts: string[] = [];
    for (const [index, { pcm }] of answers.entries()) {
      if (pcm.length === 0) continue;
      const params = {
        pcm: pcm.slice(0, MAX_ANSWER_SAMPLES),
        sampleRateHz: SAMPLE_RATE_HZ,
        streamId: `demo-${index}`,
        isFinal: true,
      };
      const { text } = await inference.request("transcribe", params, {
        deadlineMs: TRANSCRIPTION_DEADLINE_MS,
      });
      texts.push(text);
    }
    return texts.join(" ");
  } finally {
    inference.close();
  }
}
