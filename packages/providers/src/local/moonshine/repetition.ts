/** Maximum length of a repeating phrase, in tokens. */
const MAX_PHRASE_TOKENS = 12;
/** People may say a digit five times; a stuck decoder does not stop. */
const minRepeats = (phrase: number): number => (phrase === 1 ? 8 : 4);

/**
 * Detects a decoder loop: tokens that end in several repetitions of the same phrase.
 *
 * @returns The number of tokens to keep, including one phrase; `undefined` without a loop.
 */
export function findLoop(tokens: readonly number[]): number | undefined {
  for (let phrase = 1; phrase <= MAX_PHRASE_TOKENS; phrase += 1) {
    const length = phrase * minRepeats(phrase);
    if (tokens.length < length) continue;
    const start = tokens.length - length;
    let at = start + phrase;
    while (at < tokens.length && tokens[at] === tokens[at - phrase]) at += 1;
    if (at === tokens.length) return start + phrase;
  }
  return undefined;
}
