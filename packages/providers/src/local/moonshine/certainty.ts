import type { HearingCertainty, WordChoice } from "@parley/conversation";

/** Tokens that begin a word begin with this. */
const wordMark = "▁";
const endMark = "</s>";
const word = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;
const punctuation = /^[.,;:?!…-]+$/;
/** A token less likely than this, beside the likeliest, is no choice that anybody would make. */
const leastShare = 0.005;
const mostChoices = 16;

/** Keeps account, token by token, of how sure the decoder is of what it writes. */
export class Certainty {
  readonly #pieces: readonly string[];
  #tokens = 0;
  #logProbability = 0;
  /** Where the last word begins: what the decoder thought of every token there. */
  #logits: Float32Array | undefined;
  #logTotal = 0;
  #wordToken = 0;
  #wordLogProbability = 0;

  /** @param pieces the text of every token. */
  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  /** @param logits those of which the token was chosen; they must not change any more. */
  add(token: number, logits: Float32Array): void {
    const logTotal = logSumExp(logits, logits[token] ?? 0);
    const logProbability = (logits[token] ?? 0) - logTotal;
    this.#tokens += 1;
    this.#logProbability += logProbability;
    const piece = this.#pieces[token] ?? "";
    if (piece.startsWith(wordMark) || this.#logits === undefined) {
      this.#logits = logits;
      this.#logTotal = logTotal;
      this.#wordToken = token;
      this.#wordLogProbability = logProbability;
    } else if (!isEnd(piece)) this.#wordLogProbability += logProbability;
  }

  /** @param text what the tokens are. */
  of(text: string): HearingCertainty {
    const last = text.match(word)?.at(-1) ?? "";
    const said: WordChoice = { text: last, probability: Math.exp(this.#wordLogProbability) };
    const lastWord = [said, ...this.#others()].sort((a, b) => b.probability - a.probability);
    return { confidence: Math.exp(this.#logProbability / this.#tokens), lastWord };
  }

  #others(): WordChoice[] {
    const logits = this.#logits ?? new Float32Array();
    const least = (logits[this.#wordToken] ?? 0) + Math.log(leastShare);
    const choices: WordChoice[] = [];
    let ended = 0;
    for (let token = 0; token < logits.length; token += 1) {
      const logit = logits[token] ?? -Infinity;
      if (logit < least || token === this.#wordToken) continue;
      const probability = Math.exp(logit - this.#logTotal);
      const piece = this.#pieces[token] ?? "";
      if (isEnd(piece)) ended += probability;
      // The mark alone begins a number.
      else if (piece.startsWith(wordMark) && piece !== wordMark)
        choices.push({ text: piece.slice(wordMark.length), probability });
    }
    if (ended > 0) choices.push({ text: "", probability: ended });
    return choices.sort((a, b) => b.probability - a.probability).slice(0, mostChoices);
  }
}

function isEnd(piece: string): boolean {
  return piece === endMark || punctuation.test(piece);
}

/** Terms that add nothing to the sum in single precision are left out: most of them. */
function logSumExp(logits: Float32Array, largest: number): number {
  let sum = 0;
  for (const logit of logits) if (logit > largest - 18) sum += Math.exp(logit - largest);
  return largest + Math.log(sum);
}
