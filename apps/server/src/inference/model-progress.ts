import type { ModelProgress } from "@parley/providers/models";

const BAR_WIDTH = 24;
const REDRAW_INTERVAL_MS = 100;

/** Reports the progress of downloading models on standard error: a bar on a terminal, otherwise a line per download. */
export class ModelProgressDisplay {
  readonly #modelsDirectory: string;
  readonly #isTerminal = process.stderr.isTTY;
  #label = "";
  #drawnAtMs = 0;

  constructor(modelsDirectory: string) {
    this.#modelsDirectory = modelsDirectory;
  }

  show(progress: ModelProgress): void {
    if (progress.type === "download") this.#draw(progress);
    else if (progress.type === "note") this.#line(progress.message);
    else if (progress.type === "started") {
      const { files, bytes } = progress;
      this.#line(
        `Downloading speech models to ${this.#modelsDirectory}: ${files} files, ${megabytes(bytes)} MB`,
      );
    }
  }

  /** Clears the terminal's line. */
  end(): void {
    if (this.#isTerminal && this.#label !== "") process.stderr.write("\r\u001B[K");
  }

  #draw({ label, receivedBytes, totalBytes }: Extract<ModelProgress, { type: "download" }>): void {
    const isNew = label !== this.#label;
    this.#label = label;
    if (!this.#isTerminal) {
      if (isNew) this.#line(`${label}${totalBytes === undefined ? "" : ` (${megabytes(totalBytes)} MB)`}`);
      return;
    }
    const isLast = receivedBytes === totalBytes;
    if (!isNew && !isLast && performance.now() - this.#drawnAtMs < REDRAW_INTERVAL_MS) return;
    this.#drawnAtMs = performance.now();
    const share = totalBytes === undefined ? 0 : receivedBytes / totalBytes;
    const bar = "█".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, "░");
    const room = Math.max(10, (process.stderr.columns || 80) - 48);
    const name = label.length > room ? `…${label.slice(1 - room)}` : label;
    process.stderr.write(
      `\r\u001B[K${bar} ${megabytes(receivedBytes)}/${megabytes(totalBytes ?? 0)} MB ${name}`,
    );
  }

  #line(text: string): void {
    process.stderr.write(`${this.#isTerminal ? "\r\u001B[K" : ""}${text}\n`);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
