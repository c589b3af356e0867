/** Bonus of a token that begins a term, in logits: decides only between tokens that are nearly as likely. */
const START_BONUS = 1.5;
/** Bonus of a token that continues a term, whose beginning the model has heard already. */
const CONTINUATION_BONUS = 3;

interface Node {
  next: Map<number, Node>;
}

/** Favors the tokens of terms while a text is decoded: those that begin a term, and more those that continue one. */
export class Keyterms {
  readonly #root: Node = { next: new Map() };

  /** @param encode Tokens of a text that begins a word. */
  constructor(terms: readonly string[], encode: (text: string) => number[]) {
    for (const term of terms) {
      const text = term.trim();
      const capital = text.charAt(0).toUpperCase() + text.slice(1);
      for (const variant of new Set([text, text.toLowerCase(), capital])) this.#add(encode(variant));
    }
  }

  /**
   * The token with the largest logit and bonus.
   *
   * @param tokens The tokens so far.
   * @param best The token with the largest logit.
   */
  choose(logits: Float32Array, tokens: readonly number[], best: number): number {
    const bonuses = this.#bonusesAfter(tokens);
    const scoreOf = (token: number): number => (logits[token] ?? -Infinity) + (bonuses.get(token) ?? 0);
    let chosen = best;
    for (const token of bonuses.keys()) if (scoreOf(token) > scoreOf(chosen)) chosen = token;
    return chosen;
  }

  #bonusesAfter(tokens: readonly number[]): Map<number, number> {
    const bonuses = new Map<number, number>();
    for (const token of this.#root.next.keys()) bonuses.set(token, START_BONUS);
    for (const node of this.#begunIn(tokens))
      for (const token of node.next.keys()) bonuses.set(token, CONTINUATION_BONUS);
    return bonuses;
  }

  /** The terms whose beginnings are the last tokens. */
  #begunIn(tokens: readonly number[]): Node[] {
    let begun: Node[] = [];
    for (const token of tokens) begun = [...begun, this.#root].flatMap((node) => node.next.get(token) ?? []);
    return begun;
  }

  #add(tokens: readonly number[]): void {
    let node = this.#root;
    for (const token of tokens) {
      const next = node.next.get(token) ?? { next: new Map() };
      node.next.set(token, next);
      node = next;
    }
  }
}
