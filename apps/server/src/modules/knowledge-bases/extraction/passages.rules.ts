/** Divides the text of a document into passages at its structure. */
import { toStorableText } from "../../../platform/database/storable-text.ts";
import type { NewPassage } from "../passages.store.ts";

/** A paragraph, list or row with its place in the document. */
export interface Block {
  text: string;
  /** From the highest heading to the lowest. */
  headings: readonly string[];
  page?: number;
  row?: number;
}

/** Why a document cannot be read. Completes "The document …". */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/** The embedding model reads 256 tokens, about 1,000 characters, the heading included. */
const MAX_CHARACTERS = 800;
/** Rows of a table answer questions about one thing each: few of them make a passage. */
const MAX_ROW_CHARACTERS = 150;
const MAX_HEADING_CHARACTERS = 200;
export const MAX_PASSAGES = 20_000;

/** Blocks under the same heading are joined up to the maximum length, longer ones are cut at sentences. Linear in the text. */
export function toPassages(blocks: Iterable<Block>): NewPassage[] {
  const passages: NewPassage[] = [];
  let current: NewPassage | undefined;
  for (const block of blocks) {
    const heading = toHeading(block.headings);
    const isRow = block.row !== undefined;
    for (const text of splitLong(toStorableText(block.text).trim(), MAX_CHARACTERS)) {
      const max = isRow ? MAX_ROW_CHARACTERS : MAX_CHARACTERS;
      const joins =
        current?.heading === heading &&
        (current.row === null) === !isRow &&
        current.text.length + text.length < max;
      if (current !== undefined && joins) {
        current.text += `\n${text}`;
        continue;
      }
      if (passages.length >= MAX_PASSAGES)
        throw new DocumentError(`has more than ${MAX_PASSAGES} passages: divide it into several documents`);
      current = { text, heading, page: block.page ?? null, row: block.row ?? null, url: null };
      passages.push(current);
    }
  }
  return passages;
}

function toHeading(headings: readonly string[]): string {
  const known = headings.map((heading) => toStorableText(heading).trim()).filter((heading) => heading !== "");
  return known.join(" › ").slice(0, MAX_HEADING_CHARACTERS).toWellFormed();
}

/** Cuts at the last end of a sentence, else at the last space, else between two characters. */
function splitLong(text: string, max: number): string[] {
  const parts: string[] = [];
  let at = 0;
  while (text.length - at > max) {
    const window = text.slice(at, at + max);
    const end = findCut(window);
    parts.push(window.slice(0, end).trim());
    at += end;
  }
  parts.push(text.slice(at).trim());
  return parts.filter((part) => part !== "");
}

function findCut(window: string): number {
  const half = window.length / 2;
  const sentence = Math.max(...[". ", "! ", "? ", ".\n", "\n"].map((end) => window.lastIndexOf(end)));
  if (sentence > half) return sentence + 1;
  const space = window.lastIndexOf(" ");
  if (space > half) return space + 1;
  // Half a surrogate pair is no character.
  return /[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length;
}

/** The parser takes time for the square of the depth. */
const MAX_DEPTH = 1_000;

/** Counts nested elements. */
export class Nesting {
  #depth = 0;

  enter(): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH)
      throw new DocumentError(`has elements nested more than ${MAX_DEPTH} deep: export it again`);
  }

  leave(): void {
    this.#depth--;
  }
}

/** The headings above a block: a new one ends those of its level and below. */
export class Headings {
  readonly #stack: { level: number; text: string }[] = [];

  enter(level: number, text: string): void {
    while ((this.#stack.at(-1)?.level ?? 0) >= level) this.#stack.pop();
    this.#stack.push({ level, text: text.slice(0, MAX_HEADING_CHARACTERS) });
  }

  get current(): string[] {
    return this.#stack.map(({ text }) => text);
  }
}
