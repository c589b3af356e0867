import { Deadline } from "../../dialogue/deadline.ts";
import { ModelFailover } from "../../dialogue/model-failover.ts";
import { streamModel } from "../../dialogue/model-stream.ts";
import type { LanguageModel } from "../../providers/language-model.ts";
import { systemTimers, type Timers } from "../../timers.ts";
import type { AnswerOpinion } from "./answer-detection.ts";

/** Asks who said these first words. Never rejects. */
export type AnswerJudge = (text: string, signal: AbortSignal) => Promise<AnswerOpinion>;

/** Later the detection no longer waits. */
const DEADLINE_MS = 900;
const QUESTION =
  "A telephone call was answered with the words below, as written down by a speech recognizer. Did a person answer, or does a " +
  "recording speak, such as a voicemail greeting? Reply with one word: person, recording or unknown.";

/** A language model's judgment on the first words of an answered call. */
export function createAnswerJudge(model: LanguageModel, timers: Timers = systemTimers): AnswerJudge {
  return async (text, signal) => {
    const deadline = new Deadline(signal, timers);
    deadline.arm(DEADLINE_MS, () => new Error(`no opinion within ${DEADLINE_MS} ms`));
    try {
      return await deadline.race(ask(model, text, deadline.signal, timers));
    } catch {
      // Without an opinion the detection decides by itself.
      return undefined;
    } finally {
      deadline.close();
    }
  };
}

async function ask(
  model: LanguageModel,
  text: string,
  signal: AbortSignal,
  timers: Timers,
): Promise<AnswerOpinion> {
  const parts = streamModel({
    models: new ModelFailover([model]),
    options: () => ({
      prompt: [
        { role: "system", content: QUESTION },
        { role: "user", content: [{ type: "text", text }] },
      ],
      temperature: 0,
    }),
    signal,
    timers,
    deadlines: { firstTokenMs: DEADLINE_MS, betweenTokensMs: DEADLINE_MS },
  });
  let reply = "";
  for await (const part of parts) {
    if (part.type === "text") reply += part.text;
    if (/\bperson\b/i.test(reply)) return "human";
    if (/\brecording\b/i.test(reply)) return "machine";
    if (reply.length > 100) return undefined;
  }
  return undefined;
}
