/** End-of-turn probability that a call of the bench receives in place of the model's. */
interface JudgementSource {
  /** Answer of the model. */
  predict: () => Promise<number>;
  /** Digest of the audio: the same audio gets the same answer. */
  digest: string;
  /** Answers of the model to all pauses of the set. */
  all: readonly number[];
}

type JudgementRule = (source: JudgementSource) => Promise<number>;

/**
 * The differences between these show the value of the judgement: `shuffled` has only the distribution of the right
 * answers, and `sure` is the answer of a model that always detects an end.
 */
export const judgementRules = {
  right: async ({ predict }) => await predict(),
  shuffled: async ({ digest, all }) => all[Buffer.from(digest, "base64").readUInt32LE() % all.length] ?? 0.5,
  inverted: async ({ predict }) => 1 - (await predict()),
  sure: async () => 1,
} satisfies Record<string, JudgementRule>;

export type JudgementName = keyof typeof judgementRules;

export function isJudgementName(name: string): name is JudgementName {
  return Object.hasOwn(judgementRules, name);
}
