/** Context windows that the operator sets, in tokens of prompt and reply together. */
export interface ContextWindows {
  /** Of models without a value of their own. */
  others: number | undefined;
  byModel: ReadonlyMap<string, number>;
}

const MIN_TOKENS = 1_024;
const MAX_TOKENS = 10_000_000;
/** Window of a model of unknown name: a smaller one is rare today, and 20,000 words are more than an hour of talk. */
const UNKNOWN_MODEL_TOKENS = 32_768;

/** Windows of models by the beginning of their names; the first match counts. */
const knownModels: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^gpt-3\.5/, 16_385],
  [/^gpt-4(?:-\d{4})?$/, 8_192],
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-(?:4o|4-turbo|oss)/, 128_000],
  [/^gpt-5/, 272_000],
  [/^o[134]/, 128_000],
  [/^claude/, 200_000],
  [/^gemini/, 1_000_000],
  [/^(?:meta-)?llama-?(?:3\.[1-9]|4)/, 128_000],
  [/^(?:meta-)?llama-?3/, 8_192],
  [/^(?:meta-)?llama-?2/, 4_096],
  [/^tinyllama/, 2_048],
  [/^(?:mistral-(?:large|medium|small|nemo)|ministral|magistral)/, 128_000],
  [/^(?:mistral|mixtral|qwen|qwq)/, 32_768],
  [/^gemma-?3/, 128_000],
  [/^gemma/, 8_192],
  [/^phi-?4/, 16_384],
  [/^phi/, 4_096],
  [/^(?:deepseek|kimi)/, 64_000],
  [/^command-r/, 128_000],
  [/^smollm/, 8_192],
];

/** Reads `8192`, `model=8192`, or several of them, separated by commas. Throws the problem. */
export function parseContextTokens(text: string): ContextWindows {
  let others: number | undefined;
  const byModel = new Map<string, number>();
  for (const part of text.split(",").map((each) => each.trim())) {
    const [tokens = "", ...names] = part.split("=").reverse();
    const count = Number(tokens);
    if (!/^\d+$/.test(tokens.trim()) || count < MIN_TOKENS || count > MAX_TOKENS) {
      throw new Error(
        `must be a number of tokens from ${MIN_TOKENS} to ${MAX_TOKENS}, or model=tokens, separated by commas, not "${part}"`,
      );
    }
    if (names.length === 0) others = count;
    else byModel.set(names.reverse().join("=").trim(), count);
  }
  return { others, byModel };
}

/** Returns the window of a model: the operator's value, else that of its name (`llama3.2:3b`, `org/Llama-3.1-8B`). */
export function findContextTokens(model: string, setting: ContextWindows | undefined): number {
  const set = setting?.byModel.get(model) ?? setting?.others;
  if (set !== undefined) return set;
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return knownModels.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN_MODEL_TOKENS;
}
