import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { DocumentType } from "@parley/contract";
import type { NewPassage } from "../passages.store.ts";

const entry = fileURLToPath(new URL("./extraction-process.ts", import.meta.url));
const DEADLINE_MS = 60_000;
const MAX_HEAP_MB = 512;

export interface DocumentToExtract {
  bytes: Uint8Array;
  type: DocumentType;
  /** Address of a web page, to which its links are relative. */
  url?: string;
}

export type Extraction =
  /** Why the document cannot be read. Completes "The document …". */
  | { reason: string; passages?: undefined }
  | {
      reason?: undefined;
      passages: readonly NewPassage[];
      /** Addresses to which a web page of HTML leads. */
      links: readonly string[];
    };

/** Reads documents, each in a process of its own with limits of memory and time. */
export class DocumentReader {
  readonly #children = new Set<ChildProcess>();
  #isClosed = false;

  /** Rejects if a later attempt may succeed. */
  async read(document: DocumentToExtract): Promise<Extraction> {
    if (this.#isClosed) throw new Error("the node is shutting down");
    const child = fork(entry, {
      serialization: "advanced",
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#children.add(child);
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, DEADLINE_MS);
    const ended = once(child, "exit");
    try {
      let extraction: Extraction | undefined;
      // The child sends one message.
      child.once("message", (message) => (extraction = message as Extraction));
      child.once("error", () => child.kill("SIGKILL"));
      child.send(document, () => {});
      const [, signal]: (NodeJS.Signals | number | null)[] = await ended;
      if (extraction !== undefined) return extraction;
      if (this.#isClosed) throw new Error("the node is shutting down");
      // Before the process is ready, Ctrl-C ends it.
      if (signal === "SIGINT" || signal === "SIGTERM") throw new Error("the reading was interrupted");
      return { reason: isLate ? TOO_SLOW : TOO_LARGE };
    } finally {
      clearTimeout(deadline);
      this.#children.delete(child);
    }
  }

  /** Ends the processes. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

const TOO_SLOW = `could not be read within ${DEADLINE_MS / 1000} seconds: divide it into several documents`;
const TOO_LARGE = "takes too much memory when it is unpacked: divide it, or export it again without images";
