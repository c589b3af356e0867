/** Documents that are not what they seem, and readers that are interrupted. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { waitFor } from "@parley/testing";
import type { DocumentType } from "@parley/contract";
import { zipSync } from "fflate";
import { DocumentReader } from "./document-reader.ts";
import { docxOf, pdfOf } from "./testing.ts";

const MIB = 1024 * 1024;

async function reasonOf(type: DocumentType, bytes: Uint8Array): Promise<string> {
  const { reason } = await new DocumentReader().read({ type, bytes });
  assert.ok(reason !== undefined, "the document was read");
  return reason;
}

test("a file of another type is refused by what it is", async () => {
  const pdf = pdfOf([[{ size: 10, text: "Refunds take five days." }]]);
  const word = docxOf("<w:p><w:r><w:t>Refunds</w:t></w:r></w:p>");
  const sheet = zipSync({ "xl/workbook.xml": Buffer.from("<x/>") });
  const image = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const oldOffice = Buffer.from("d0cf11e0a1b11ae10000000000000000", "hex");
  assert.match(await reasonOf("text", pdf), /^is a PDF file: .* \.pdf$/);
  assert.match(await reasonOf("html", word), /^is an archive or an Office file: .* \.docx/);
  assert.match(await reasonOf("csv", sheet), /^is an archive or an Office file: .* \.csv/);
  assert.match(await reasonOf("markdown", image), /^is an image: .*text/);
  assert.match(await reasonOf("text", oldOffice), /^is a file of an old Office version: save it as \.docx/);
  assert.match(await reasonOf("pdf", word), /no PDF file/);
  assert.match(await reasonOf("docx", pdf), /no Word file/);
});

test("a table of a million columns and one with a name of megabytes end in time", async () => {
  const columns = 1_000_000;
  const header = Array.from({ length: columns }, (_, index) => index.toString(36)).join(",");
  const row = "1,".repeat(columns);
  const wide = await reasonOf("csv", Buffer.from(`${header}\n${`${row}\n`.repeat(6)}`));
  assert.match(wide, /more than 20000 passages/);
  const named = `${"n".repeat(90_000)}\n${"1\n".repeat(9 * MIB)}`;
  assert.match(await reasonOf("csv", Buffer.from(named)), /more than 20000 passages/);
});

test("pages of a PDF that contain themselves end in time", async () => {
  const file = Buffer.from(pdfOf([[{ size: 10, text: "Again." }]])).toString("latin1");
  const endless = file.replace(/\/Kids \[.*?\] \/Count 1/, (kids) =>
    "/Kids [2 0 R] /Count 9".padEnd(kids.length),
  );
  assert.notEqual(endless, file);
  assert.match(await reasonOf("pdf", Buffer.from(endless, "latin1")), /damaged|contains no text/);
});

/** Ids of this process's children that read documents. */
async function listReaders(): Promise<number[]> {
  const ids = (await readdir("/proc")).map(Number).filter((id) => Number.isInteger(id));
  const readers = await Promise.all(
    ids.map(async (id) => {
      const parent = /^PPid:\s+(\d+)$/m.exec(
        await readFile(`/proc/${id}/status`, "utf8").catch(() => ""),
      )?.[1];
      if (Number(parent) !== process.pid) return [];
      const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
      return command.includes("extraction-process") ? [id] : [];
    }),
  );
  return readers.flat();
}

const skip = process.platform === "linux" ? false : "reads /proc";

test("Ctrl-C, which reaches the reader too, is not blamed on the document", { skip }, async () => {
  const reader = new DocumentReader();
  const reading = reader.read({ type: "text", bytes: Buffer.from("x ".repeat(5 * MIB)) });
  const [id = 0] = await waitFor("the reader", async () => {
    const found = await listReaders();
    return found.length > 0 ? found : undefined;
  });
  process.kill(id, "SIGINT");
  // Before the reader is ready it dies, and the job repeats it; later it goes on.
  const outcome = await reading.then(
    ({ passages }) => (passages === undefined ? "blamed" : "read"),
    (error: unknown) => String(error),
  );
  assert.match(outcome, /^read$|interrupted/);
});

test("a reader that is killed for its memory fails the document with what to do", { skip }, async () => {
  const reader = new DocumentReader();
  const reading = reader.read({ type: "text", bytes: Buffer.from("x ".repeat(5 * MIB)) });
  const [id = 0] = await waitFor("the reader", async () => {
    const found = await listReaders();
    return found.length > 0 ? found : undefined;
  });
  process.kill(id, "SIGKILL");
  assert.match((await reading).reason ?? "", /too much memory.*divide it/);
});
