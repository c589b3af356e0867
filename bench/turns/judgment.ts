/** End-of-turn probability that a call of the bench receives in place of the model's. */
interface JudgmentSource {
  /** Answer of the model. */
  predict: () => Promise<number>;
  /** Digest of the audio: the same audio gets the same answer. */
  digest: string;
  /** Answers of the model to all pauses of the set. */
  all: readonly number[];
}

type JudgmentRule = (source: JudgmentSource) => Promise<number>;

/**
 * The differences between these show the value of the judgment: `shuffled` has only the distribution of the right
 * answers, and `sure` is the answer of a model that always detects an end.
 */
export const judgmentRules = {
  right: async ({ predict }) => await predict(),
  shuffled: async ({ digest, all }) => all[Buffer.from(digest, "base64").readUInt32LE() % all.length] ?? 0.5,
  inverted: async ({ predict }) => 1 - (await predict()),
  sure: async () => 1,
} satisfies Record<string, JudgmentRule>;

export type JudgmentName = keyof typeof judgmentRules;

export function isJudgmentName(name: string): name is JudgmentName {
  return Object.hasOwn(judgmentRules, name);
}
