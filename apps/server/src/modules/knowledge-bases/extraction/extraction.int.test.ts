/** Documents of every type, and hostile ones, in the process that reads them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { zipSync } from "fflate";
import { seededRandom } from "@parley/testing";
import type { DocumentType } from "@parley/contract";
import { DocumentReader } from "./document-reader.ts";
import { docxOf, pdfOf } from "./testing.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const MIB = 1024 * 1024;

async function read(type: DocumentType, content: string | Uint8Array) {
  const reader = new DocumentReader();
  return await reader.read({ type, bytes: typeof content === "string" ? bytesOf(content) : content });
}

async function passagesOf(type: DocumentType, content: string | Uint8Array) {
  const { passages, reason } = await read(type, content);
  assert.ok(passages !== undefined, reason);
  return passages.map(({ text, heading, page, row }) => ({ text, heading, page, row }));
}

async function reasonOf(type: DocumentType, content: string | Uint8Array): Promise<string> {
  const { reason } = await read(type, content);
  assert.ok(reason !== undefined, "the document was read");
  return reason;
}

test("HTML is read without navigation and scripts, under its headings or its title", async () => {
  const page = `<!doctype html><title>Shop</title><nav>Home</nav><p>Welcome &amp;
      hello.</p><pre>a\n  b</pre>
    <h1>Returns</h1><p>Send it <b>back</b>.</p><ul><li>Within 30 days</li></ul><script>alert(1)</script>
    <table><tr><th>Size</th><th>Price</th></tr><tr><td>S</td><td>9 €</td></tr></table>`;
  assert.deepEqual(await passagesOf("html", page), [
    { text: "Welcome & hello.\na\n b", heading: "Shop", page: null, row: null },
    {
      text: "Send it back.\nWithin 30 days\nSize | Price\nS | 9 €",
      heading: "Returns",
      page: null,
      row: null,
    },
  ]);
});

test("CSV is read by rows with their numbers, and its cells are named", async () => {
  const table = 'Name;Note\r\nAda;"says ""hi""; often\ntwice"\r\n\r\nBob;\r\n';
  assert.deepEqual(await passagesOf("csv", table), [
    { text: 'Name: Ada; Note: says "hi"; often\ntwice\nName: Bob', heading: "", page: null, row: 2 },
  ]);
  assert.match(await reasonOf("csv", 'a,b\n1,"2\n'), /quotation mark without its end in line 2/);
});

test("PDF is read by pages, under headings found by their size", async () => {
  const file = pdfOf([
    [
      { size: 20, text: "Refunds" },
      { size: 10, text: "Refunds take five days." },
    ],
    [{ size: 10, text: "Shipping is free." }],
  ]);
  assert.deepEqual(await passagesOf("pdf", file), [
    { text: "Refunds take five days.\nShipping is free.", heading: "Refunds", page: 1, row: null },
  ]);
  assert.match(await reasonOf("pdf", "%PDF-1.4 nothing else"), /is damaged or no PDF file/);
  assert.match(await reasonOf("pdf", pdfOf([[]])), /contains no text: it may be scanned/);
});

test("Word files are read under their headings, with the rows of tables", async () => {
  const file = docxOf(`
    <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Opening hours</w:t></w:r></w:p>
    <w:p><w:r><w:t>We are open </w:t></w:r><w:r><w:t>daily.</w:t></w:r></w:p>
    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Sunday</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>10 to 4</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`);
  assert.deepEqual(await passagesOf("docx", file), [
    { text: "We are open daily.\nSunday | 10 to 4", heading: "Opening hours", page: null, row: null },
  ]);
  assert.match(await reasonOf("docx", "no archive"), /no Word file/);
  assert.match(await reasonOf("docx", zipSync({ "other.xml": bytesOf("<x/>") })), /is no Word file/);
});

test("Markdown keeps code together and drops front matter, marks of links and rules", async () => {
  const text =
    "---\ntitle: x\n---\nTitle\n=====\nSee [the guide](https://example.com).\n\n```sh\n# no heading\n```\n\n---\n";
  assert.deepEqual(await passagesOf("markdown", text), [
    { text: "See the guide.\n# no heading", heading: "Title", page: null, row: null },
  ]);
});

test("bytes that are no text are refused with what to do", async () => {
  assert.match(
    await reasonOf("text", Uint8Array.from([0x61, 0xff, 0xfe, 0x80])),
    /not text in UTF-8.*save it as UTF-8/,
  );
  assert.equal(await reasonOf("text", " \n"), "contains no text");
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Grüße", "utf16le")]);
  assert.equal((await passagesOf("text", utf16))[0]?.text, "Grüße");
  assert.equal((await passagesOf("text", "a\0b"))[0]?.text, "ab");
});

test("20 MiB of one line, of brackets and of nested elements end in time", async () => {
  for (const [type, unit] of [
    ["text", "x"],
    ["markdown", "["],
    ["markdown", "| - "],
    ["html", "<div>"],
    ["csv", '"'],
  ] as const) {
    const { passages, reason } = await read(type, unit.repeat((20 * MIB) / unit.length));
    assert.ok(passages === undefined, "more than the most passages, or nothing");
    assert.match(
      reason ?? "",
      /more than 20000 passages|contains no text|cell of more than|1000 deep/,
      `${type} ${unit}`,
    );
  }
});

test("archives that unpack to more than they may are refused", async () => {
  const huge = "<w:t>".padEnd(65 * MIB);
  assert.match(await reasonOf("docx", docxOf(huge)), /more than 64 MiB/);
  // States a small size in the directory of the archive and in front of the file.
  const lying = Buffer.from(docxOf("<w:p><w:r><w:t>x</w:t></w:r></w:p>".padEnd(8 * MIB)));
  for (const [signature, offset] of [
    [0x04034b50, 22],
    [0x02014b50, 24],
  ] as const) {
    const mark = Buffer.alloc(4);
    mark.writeUInt32LE(signature);
    lying.writeUInt32LE(200, lying.indexOf(mark) + offset);
  }
  await read("docx", lying);
});

test("a PDF whose content unpacks to gigabytes takes neither the memory nor the time", async () => {
  const bomb = deflateSync(Buffer.alloc(512 * MIB, " "), { level: 1 });
  const twice = deflateSync(bomb);
  const { passages, reason } = await read(
    "pdf",
    pdfOf([[]], { content: twice, filters: ["FlateDecode", "FlateDecode"] }),
  );
  assert.equal(passages, undefined);
  assert.ok(reason !== undefined);
});

test("random changes of a PDF and a Word file are read or refused", async () => {
  const random = seededRandom(11);
  const pdf = pdfOf([[{ size: 10, text: "Refunds take five days." }]]);
  const docx = docxOf("<w:p><w:r><w:t>Refunds take five days.</w:t></w:r></w:p>");
  for (const [type, file] of [
    ["pdf", pdf],
    ["docx", docx],
    ["pdf", pdf],
    ["docx", docx],
  ] as const) {
    const changed = Uint8Array.from(file);
    for (let change = 0; change < 20; change++)
      changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
    const { passages, reason } = await read(type, changed);
    assert.ok((passages === undefined) !== (reason === undefined));
  }
});
