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
  const blocks: Block[] = [];
  const headings = new Headings();
  const nesting = new Nesting();
  let text = "";
  let title = "";
  let isTitle = false;
  /** Depth of skipped elements. */
  let skipped = 0;
  let rows = 0;
  let cells: string[] = [];
  const take = (): string => {
    const taken = text.replaceAll(/[^\S\n]+/g, " ").trim();
    text = "";
    return taken;
  };
  const close = (): void => {
    const block = take();
    if (block === "") return;
    if (rows > 0) cells.push(block);
    else blocks.push({ text: block, headings: headings.current });
  };
  const parser = new Parser(
    {
      onopentagname: (name) => {
        nesting.enter();
        if (name === "title") isTitle = true;
        if (SKIPPED.has(name)) skipped++;
        if (name === "br") text += "\n";
        if (BLOCKS.has(name) || isHeading(name)) close();
        if (name === "tr") rows++;
      },
      ontext: (data) => {
        if (isTitle) title += data;
        else if (skipped === 0) text += data;
      },
      onclosetag: (name) => {
        nesting.leave();
        if (name === "title") isTitle = false;
        if (SKIPPED.has(name)) skipped = Math.max(0, skipped - 1);
        if (isHeading(name) && rows === 0) {
          const heading = take();
          if (heading !== "") headings.enter(Number(name.slice(1)), heading);
        } else if (BLOCKS.has(name)) close();
        if (name !== "tr") return;
        rows = Math.max(0, rows - 1);
        if (rows > 0 || cells.length === 0) return;
        blocks.push({ text: cells.join(" | "), headings: headings.current });
        cells = [];
      },
    },
    { decodeEntities: true },
  );
  parser.write(html);
  parser.end();
  close();
  const name = title.replaceAll(/\s+/g, " ").trim();
  return blocks.map((block) =>
    block.headings.length === 0 && name !== "" ? { ...block, headings: [name] } : block,
  );
}

function isHeading(name: string): boolean {
  return /^h[1-6]$/.test(name);
}
