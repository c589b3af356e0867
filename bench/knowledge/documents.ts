/** Twenty documents of all types: five of our own about places that people call, and fifteen of the platform's. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { docxOf, pdfOf } from "../../apps/server/src/modules/knowledge-bases/extraction/testing.ts";

interface BenchDocument {
  name: string;
  content: Uint8Array;
}

const OWN = path.join(import.meta.dirname, "documents");
const GUIDES =
  "asterisk backup campaigns flows language-models messages systemd test-suites tls transfers twilio voices widget";
const platformDocuments = [
  ...GUIDES.split(" ").map((name) => `docs/guides/${name}.md`),
  "docs/operating.md",
  "docs/hardening.md",
];
/** Points of letters of a heading by its level, and of text. */
const SIZES = [10, 20, 14] as const;
const LINES_PER_PAGE = 16;

export async function readDocuments(): Promise<BenchDocument[]> {
  const own = async (file: string): Promise<string> => await readFile(path.join(OWN, file), "utf8");
  const asIs = ["hotel.html", "bike-shop.csv", "library.txt"];
  return [
    ...(await Promise.all(asIs.map(async (name) => ({ name, content: Buffer.from(await own(name)) })))),
    { name: "aftercare.pdf", content: toPdf(linesOf(await own("aftercare.txt"))) },
    { name: "museum.docx", content: toWord(linesOf(await own("museum.txt"))) },
    ...(await Promise.all(
      platformDocuments.map(async (file) => ({ name: path.basename(file), content: await readFile(file) })),
    )),
  ];
}

interface Line {
  /** Level of a heading; 0: text. */
  level: 0 | 1 | 2;
  text: string;
}

function linesOf(text: string): Line[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const level = line.startsWith("## ") ? 2 : line.startsWith("# ") ? 1 : 0;
      return { level, text: line.replace(/^#+ /, "") };
    });
}

function toPdf(lines: readonly Line[]): Uint8Array {
  const pages: { size: number; text: string }[][] = [];
  for (const [index, { level, text }] of lines.entries()) {
    if (index % LINES_PER_PAGE === 0) pages.push([]);
    pages.at(-1)?.push({ size: SIZES[level], text });
  }
  return pdfOf(pages);
}

function toWord(lines: readonly Line[]): Uint8Array {
  const paragraphs = lines.map(({ level, text }) => {
    const style = level === 0 ? "" : `<w:pPr><w:pStyle w:val="Heading${level}"/></w:pPr>`;
    return `<w:p>${style}<w:r><w:t>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</w:t></w:r></w:p>`;
  });
  return docxOf(paragraphs.join(""));
}
