/**
 * Fetches the speech models into the cache that all clones share: `npm run models [-- --verify] [group…]`.
 * Without groups: those that a start without further configuration uses. `--verify` hashes what is there already.
 */
import {
  defaultModelGroups,
  defaultModelsDir,
  ensureModels,
  modelCatalogue,
  type ModelGroup,
  type ModelProgress,
} from "@parley/providers";

const isGroup = (name: string): name is ModelGroup => Object.hasOwn(modelCatalogue, name);
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** One line that is drawn over on a terminal; elsewhere a line per download. */
class ProgressBar {
  readonly #isTerminal = process.stdout.isTTY;
  #label = "";
  #drawnAtMs = 0;

  show(progress: ModelProgress): void {
    if (progress.type === "download") this.#draw(progress);
    else if (progress.type === "note") this.#line(progress.message);
    else if (progress.type === "started") {
      this.#line(
        `Fetching ${progress.files} files, ${megabytes(progress.bytes)} MB, to ${defaultModelsDir()}`,
      );
    }
  }

  #draw({ label, receivedBytes, totalBytes }: Extract<ModelProgress, { type: "download" }>): void {
    const isNew = label !== this.#label;
    this.#label = label;
    if (!this.#isTerminal) {
      if (isNew) this.#line(`${label}${totalBytes === undefined ? "" : ` (${megabytes(totalBytes)} MB)`}`);
      return;
    }
    const isLast = receivedBytes === totalBytes;
    if (!isNew && !isLast && performance.now() - this.#drawnAtMs < 100) return;
    this.#drawnAtMs = performance.now();
    const share = totalBytes === undefined ? 0 : receivedBytes / totalBytes;
    const bar = "█".repeat(Math.round(share * 24)).padEnd(24, "░");
    const room = Math.max(10, (process.stdout.columns || 80) - 48);
    const name = label.length > room ? `…${label.slice(1 - room)}` : label;
    process.stdout.write(
      `\r\u001B[K${bar} ${megabytes(receivedBytes)}/${megabytes(totalBytes ?? 0)} MB ${name}`,
    );
  }

  #line(text: string): void {
    console.log(`${this.#isTerminal ? "\r\u001B[K" : ""}${text}`);
  }

  end(): void {
    if (this.#isTerminal && this.#label !== "") process.stdout.write("\r\u001B[K");
  }
}

const words = process.argv.slice(2);
const unknown = words.filter((word) => word !== "--verify" && !isGroup(word));
if (unknown.length > 0) {
  console.error(
    `Unknown model group: ${unknown.join(", ")}. Known: ${Object.keys(modelCatalogue).join(", ")}`,
  );
  process.exit(2);
}
const named = words.filter(isGroup);
const groups = named.length > 0 ? named : defaultModelGroups;
const bar = new ProgressBar();
try {
  const modelsDir = await ensureModels({
    groups,
    mustHash: words.includes("--verify"),
    onProgress: (progress) => bar.show(progress),
  });
  bar.end();
  console.log(
    `Models ready in ${modelsDir}: ${groups.map((name) => `${name} (${modelCatalogue[name].licence})`).join(", ")}`,
  );
} catch (error) {
  bar.end();
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
