import type { ModelGroup } from "../catalog.ts";

/** A model's answer in its self-test; the inputs are in `local/self-test/ask-models.ts`. */
export interface ModelAnswer {
  text?: string;
  values: readonly number[];
}

interface KnownAnswer extends ModelAnswer {
  /** Maximum difference of any value from the known one. */
  tolerance: number;
}

/** Groups with a self-test; `smollm2` is for tests only. */
export type TestedGroup = Exclude<ModelGroup, "smollm2">;

/**
 * Answers of the catalog's models on a processor on which they are correct (Intel with VNNI). The 8-bit ones differ by
 * at most 0.006 on emulated AVX2 (`npm run test:processors`). Smart Turn's two are those of its authors' own code.
 */
export const KNOWN_ANSWERS: Readonly<Record<TestedGroup, KnownAnswer>> = {
  // Saturated products err by 0.4 and more; 8-bit rounding moves a probability by less than 0.01.
  "smart-turn": { values: [0.2348, 0.3747], tolerance: 0.05 },
  // Similarities of three questions. Search ranks by differences of 0.1 and more.
  minilm: { values: [0.7158, 0.1759, 0.1652], tolerance: 0.03 },
  // Float arithmetic differs only in the last digits; speech begins at 0.5, so that 0.1 decides nothing.
  silero: {
    values: [0.0518, 0.0079, 0.9997, 0.9999, 0.8024, 1, 0.9998, 0.1675, 0.0074],
    tolerance: 0.1,
  },
  // Text must be equal: every word of this recording is certain. Confidence varies with 8-bit rounding.
  "moonshine-base": { text: "Go forward ten metres.", values: [0.8586], tolerance: 0.1 },
  "moonshine-tiny": { text: "Go forward ten meters.", values: [0.853], tolerance: 0.1 },
  // One frame of 25 ms and 1 dB.
  kokoro: { values: [1.675, -2.0995, -2.2035, -2.7229, -2.2598, -3.3018, -4], tolerance: 0.1 },
  // The voice varies its timing and sound at random: 0.03 s and 2 dB in eight runs.
  dittli: { values: [2.14, -1.62, -1.76, -2, -1.85, -1.88, -3.93], tolerance: 0.5 },
};

/** Describes how an answer differs from the known one; `undefined` if it agrees. */
export function findWrongAnswer(group: TestedGroup, answer: ModelAnswer): string | undefined {
  const { text, values, tolerance } = KNOWN_ANSWERS[group];
  if (answer.text !== text)
    return `answered ${JSON.stringify(answer.text)}, expected ${JSON.stringify(text)}`;
  const wrong = values.findIndex((value, at) => !(Math.abs(value - (answer.values[at] ?? NaN)) <= tolerance));
  if (wrong < 0) return undefined;
  const given = answer.values[wrong]?.toFixed(4) ?? "nothing";
  return `answered ${given}, expected ${values[wrong]} ± ${tolerance} (value ${wrong + 1} of its self-test)`;
}
