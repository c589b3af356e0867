/** Process that reads one document of unknown origin: its memory and time end with it. */
import { setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { extractPassages } from "./extract-passages.ts";
import { decodeText } from "./decode-text.ts";
import { readLinks } from "./html-links.ts";
import type { DocumentToExtract, Extraction } from "./document-reader.ts";
import { DocumentError } from "./passages.rules.ts";

/** Calls come first. */
const NICENESS = 10;
const MAX_RESIDENT_BYTES = 900 * 1024 * 1024;
const WATCH_INTERVAL_MS = 50;

/** Buffers do not count toward the limit of the heap. A thread sees them grow while this one decodes. */
const watch = `
  setInterval(() => {
    if (process.memoryUsage.rss() > ${MAX_RESIDENT_BYTES}) process.kill(process.pid, "SIGKILL");
  }, ${WATCH_INTERVAL_MS});
`;

async function extract({ bytes, type, url }: DocumentToExtract): Promise<Extraction> {
  try {
    const links = type === "html" && url !== undefined ? readLinks(decodeText(bytes), url) : [];
    return { passages: await extractPassages(bytes, type), links };
  } catch (error) {
    // A decoder that fails in an unforeseen way has met a damaged file.
    return { reason: error instanceof DocumentError ? error.message : "is damaged: export it again" };
  }
}

setPriority(NICENESS);
new Worker(watch, { eval: true }).unref();
process.once("message", (document) => {
  // Only the parent sends messages.
  void extract(document as DocumentToExtract).then((extraction) =>
    process.send?.(extraction, () => process.exit(0)),
  );
});
// Ctrl-C reaches the whole process group: the parent decides when its children end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
// Its parent has ended.
process.once("disconnect", () => process.exit(1));
