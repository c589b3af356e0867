import { Parser } from "htmlparser2";
import { type Block, Headings, Nesting } from "./passages.rules.ts";

const BLOCKS = new Set(
  "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer header hr li main ol p pre section summary table tbody td th thead tr ul".split(
    " ",
  ),
);
/** Elements whose text is not the page's content. */
const SKIPPED = new Set(
  "script style noscript template svg canvas iframe object nav select button form dialog head".split(" "),
);

/** Paragraphs, list items and rows of tables of an HTML page under their headings. */
export function readHtml(html: string): Block[] {
  const reader = new HtmlReader();
  const parser = new Parser(
    {
      onopentagname: (name) => reader.open(name),
      ontext: (text) => reader.addText(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true },
  );
  parser.write(html);
  parser.end();
  return reader.finish();
}

class HtmlReader {
  readonly #blocks: Block[] = [];
  readonly #headings = new Headings();
  readonly #nesting = new Nesting();
  #text = "";
  #title = "";
  #isTitle = false;
  /** Number of skipped elements around the text. */
  #skipped = 0;
  /** Number of rows around the text: tables may be nested. */
  #rows = 0;
  /** Number of elements around the text in which line ends are kept. */
  #preformatted = 0;
  #cells: string[] = [];

  open(name: string): void {
    this.#nesting.enter();
    if (name === "title") this.#isTitle = true;
    if (SKIPPED.has(name)) this.#skipped++;
    if (name === "br") this.#text += "\n";
    if (BLOCKS.has(name) || isHeading(name)) this.#endBlock();
    if (name === "tr") this.#rows++;
    if (name === "pre") this.#preformatted++;
  }

  addText(text: string): void {
    if (this.#isTitle) this.#title += text;
    else if (this.#skipped === 0) this.#text += this.#preformatted > 0 ? text : text.replaceAll(/\s+/g, " ");
  }

  close(name: string): void {
    this.#nesting.leave();
    if (name === "title") this.#isTitle = false;
    if (name === "pre") this.#preformatted = Math.max(0, this.#preformatted - 1);
    if (SKIPPED.has(name)) this.#skipped = Math.max(0, this.#skipped - 1);
    if (isHeading(name) && this.#rows === 0) {
      const heading = this.#takeText();
      if (heading !== "") this.#headings.enter(Number(name.slice(1)), heading);
    } else if (BLOCKS.has(name)) this.#endBlock();
    if (name === "tr") this.#endRow();
  }

  finish(): Block[] {
    this.#endBlock();
    const title = this.#title.replaceAll(/\s+/g, " ").trim();
    return this.#blocks.map((block) =>
      block.headings.length === 0 && title !== "" ? { ...block, headings: [title] } : block,
    );
  }

  #takeText(): string {
    const text = this.#text.replaceAll(/[^\S\n]+/g, " ").trim();
    this.#text = "";
    return text;
  }

  #endBlock(): void {
    const text = this.#takeText();
    if (text === "") return;
    if (this.#rows > 0) this.#cells.push(text);
    else this.#blocks.push({ text, headings: this.#headings.current });
  }

  #endRow(): void {
    this.#rows = Math.max(0, this.#rows - 1);
    if (this.#rows > 0 || this.#cells.length === 0) return;
    this.#blocks.push({ text: this.#cells.join(" | "), headings: this.#headings.current });
    this.#cells = [];
  }
}

function isHeading(name: string): boolean {
  return /^h[1-6]$/.test(name);
}
