/** Minimum length of a first clause that ends at a comma: short enough to start early, long enough to sound whole. */
const MIN_FIRST_CLAUSE_CHARACTERS = 10;
/** Length after which a first clause without punctuation is cut. */
const MAX_FIRST_CLAUSE_CHARACTERS = 70;
/** Length after which a later clause is cut. */
const MAX_CLAUSE_CHARACTERS = 220;

const SENTENCE_MARK = /[.!?…。！？｡]/;
const PAUSE_MARK = /[,;:–—、，；：]/;
/** Marks that end a clause without a following space, in scripts that write none between words. */
const UNSPACED_MARK = /[。！？｡、，；：]/;
const CLOSING = /["'”’»)\]」』）*_]/;

const ABBREVIATIONS = new Set(
  "mr mrs ms mx dr prof st sr jr rev gen col capt lt sgt hon vs no nr nos vol fig approx dept est inc ltd corp co ave blvd rd mt ft jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun z.b d.h bzw ca sog hr fr".split(
    " ",
  ),
);

/**
 * Splits streamed text into clauses that can be spoken separately: an early first clause so that speech can begin, then
 * whole sentences. The clauses joined together equal the text.
 */
export class ClauseSplitter {
  #buffer = "";
  /** Characters already searched for a boundary. */
  #scanned = 0;
  #isFirst = true;

  /** Adds text and returns the clauses that are complete now. */
  push(text: string): string[] {
    this.#buffer += text;
    const clauses: string[] = [];
    for (;;) {
      const end = this.#findBoundary();
      if (end === 0) return clauses;
      clauses.push(this.#take(end));
    }
  }

  /** Returns the rest of the text as the last clause, when no more text follows or none that belongs to it. */
  flush(): string[] {
    const isEmpty = this.#buffer.trim() === "";
    const rest = this.#take(this.#buffer.length);
    return isEmpty ? [] : [rest];
  }

  #take(end: number): string {
    const clause = this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end);
    this.#scanned = 0;
    this.#isFirst = this.#isFirst && clause.trim() === "";
    return clause;
  }

  /** Index after the next boundary, or 0 if there is none yet. */
  #findBoundary(): number {
    const text = this.#buffer;
    for (let i = this.#scanned; i < text.length; i++) {
      const end = this.#boundaryAt(i);
      if (end === undefined) {
        // The following text decides whether this is a boundary: search here again when it arrives.
        this.#scanned = i;
        return this.#cutOverlong(i);
      }
      if (end > 0) return end;
    }
    this.#scanned = text.length;
    return this.#cutOverlong(text.length);
  }

  /** Index after the boundary at `i`; 0 if there is none; `undefined` if more text is needed to decide. */
  #boundaryAt(i: number): number | undefined {
    const text = this.#buffer;
    const mark = text.charAt(i);
    if (mark === "\n") return text.slice(0, i).trim() === "" ? 0 : i + 1;
    const isSentenceMark = SENTENCE_MARK.test(mark);
    if (!isSentenceMark && !(this.#isFirst && PAUSE_MARK.test(mark))) return 0;
    let next = i + 1;
    while (next < text.length && (CLOSING.test(text.charAt(next)) || SENTENCE_MARK.test(text.charAt(next))))
      next++;
    const isLongEnough = !this.#isFirst || text.slice(0, next).trim().length >= MIN_FIRST_CLAUSE_CHARACTERS;
    if (UNSPACED_MARK.test(mark)) return isSentenceMark || next >= 4 ? next : 0;
    if (next >= text.length) return undefined;
    if (!/\s/.test(text.charAt(next)) || !isLongEnough) return 0;
    if (!isSentenceMark) return next + 1;
    const word = /\S/.exec(text.slice(next));
    if (word === null) return text.includes("\n", next) ? next + 1 : undefined;
    return endsSentence(text.slice(0, next), mark, word[0]) ? next + word.index : 0;
  }

  #cutOverlong(scanned: number): number {
    const limit = this.#isFirst ? MAX_FIRST_CLAUSE_CHARACTERS : MAX_CLAUSE_CHARACTERS;
    if (scanned <= limit) return 0;
    const head = this.#buffer.slice(0, limit);
    const pause = /^[\s\S]*[,;:–—]\s/.exec(head)?.[0].length ?? 0;
    if (pause > limit / 3) return pause;
    const space = head.search(/\s\S*$/);
    return space > 0 ? space + 1 : lastWordBoundary(head);
  }
}

/** Whether the mark at the end of `head` ends a sentence; `follows` is the first character after it. */
function endsSentence(head: string, mark: string, follows: string): boolean {
  if (mark !== ".") return true;
  if (/\p{Ll}/u.test(follows)) return false;
  const lastWord = /(\S+?)\.+\W*$/u.exec(head)?.[1] ?? "";
  // Not the end: a list number ("1. Pay"), initials ("J. Smith", "U.S. dollars"), an abbreviation.
  if (/^\d+$/.test(head.trim().slice(0, -1)) || /^(\p{Lu}\.)*\p{Lu}$/u.test(lastWord)) return false;
  return !ABBREVIATIONS.has(lastWord.toLowerCase().replace(/^\W+/, ""));
}

const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });

/** Start of the last word in `head`, which may be incomplete; for scripts without spaces. */
function lastWordBoundary(head: string): number {
  let boundary = 0;
  for (const { index } of WORDS.segment(head)) boundary = index;
  return boundary > 0 ? boundary : head.length;
}
