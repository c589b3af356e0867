/** A phrase of so many tokens at most is looked for. */
const longestPhrase = 12;
/** People do say a digit five times; a stuck decoder does not stop. */
const minRepeats = (phrase: number): number => (phrase === 1 ? 8 : 4);

/**
 * Whether the decoder goes round in circles: the tokens end in the same phrase several times over.
 *
 * @returns how many tokens to keep, one phrase included; undefined when there is no such loop.
 */
export function findLoop(tokens: readonly number[]): number | undefined {
  for (let phrase = 1; phrase <= longestPhrase; phrase += 1) {
    const length = phrase * minRepeats(phrase);
    if (tokens.length < length) continue;
    const start = tokens.length - length;
    let at = start + phrase;
    while (at < tokens.length && tokens[at] === tokens[at - phrase]) at += 1;
    if (at === tokens.length) return start + phrase;
  }
  return undefined;
}
