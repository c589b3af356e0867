import type { HearingCertainty, WordChoice } from "@parley/conversation";

/** Prefix of the tokens that begin a word. */
const WORD_MARK = "▁";
const END_MARK = "</s>";
const WORD_PATTERN = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;
const PUNCTUATION = /^[.,;:?!…-]+$/;
/** Minimum probability of an alternative relative to the most likely one. */
const MIN_SHARE = 0.005;
const MAX_CHOICES = 16;

/** Tracks the decoder's certainty token by token. */
export class Certainty {
  readonly #pieces: readonly string[];
  #tokens = 0;
  #logProbability = 0;
  /** The decoder's logits at the start of the last word. */
  #logits: Float32Array | undefined;
  #logTotal = 0;
  #wordToken = 0;
  #wordLogProbability = 0;

  /** @param pieces The text of every token. */
  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  /** @param logits The logits from which the token was chosen; must not change afterwards. */
  add(token: number, logits: Float32Array): void {
    const logTotal = logSumExp(logits, logits[token] ?? 0);
    const logProbability = (logits[token] ?? 0) - logTotal;
    this.#tokens += 1;
    this.#logProbability += logProbability;
    const piece = this.#pieces[token] ?? "";
    if (piece.startsWith(WORD_MARK) || this.#logits === undefined) {
      this.#logits = logits;
      this.#logTotal = logTotal;
      this.#wordToken = token;
      this.#wordLogProbability = logProbability;
    } else if (!isEnd(piece)) this.#wordLogProbability += logProbability;
  }

  /** @param text The text of the tokens. */
  of(text: string): HearingCertainty {
    const last = text.match(WORD_PATTERN)?.at(-1) ?? "";
    const said: WordChoice = { text: last, probability: Math.exp(this.#wordLogProbability) };
    const lastWord = [said, ...this.#others()].sort((a, b) => b.probability - a.probability);
    return { confidence: Math.exp(this.#logProbability / this.#tokens), lastWord };
  }

  #others(): WordChoice[] {
    const logits = this.#logits ?? new Float32Array();
    const least = (logits[this.#wordToken] ?? 0) + Math.log(MIN_SHARE);
    const choices: WordChoice[] = [];
    let ended = 0;
    for (let token = 0; token < logits.length; token += 1) {
      const logit = logits[token] ?? -Infinity;
      if (logit < least || token === this.#wordToken) continue;
      const probability = Math.exp(logit - this.#logTotal);
      const piece = this.#pieces[token] ?? "";
      if (isEnd(piece)) ended += probability;
      // The mark alone begins a number.
      else if (piece.startsWith(WORD_MARK) && piece !== WORD_MARK)
        choices.push({ text: piece.slice(WORD_MARK.length), probability });
    }
    if (ended > 0) choices.push({ text: "", probability: ended });
    return choices.sort((a, b) => b.probability - a.probability).slice(0, MAX_CHOICES);
  }
}

function isEnd(piece: string): boolean {
  return piece === END_MARK || PUNCTUATION.test(piece);
}

/** Skips terms too small to affect the sum in single precision, which are most of them. */
function logSumExp(logits: Float32Array, largest: number): number {
  let sum = 0;
  for (const logit of logits) if (logit > largest - 18) sum += Math.exp(logit - largest);
  return largest + Math.log(sum);
}
