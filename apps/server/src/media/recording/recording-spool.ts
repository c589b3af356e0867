import { createWriteStream, type WriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { readFreeBytes } from "../../platform/machine/free-space.ts";
import { RTP_CLOCK_RATE_HZ } from "../audio-codec.ts";
import {
  FILE_HEADER_BYTES,
  payloadBytes,
  RECORD_HEADER_BYTES,
  type RecordingRateHz,
  SPOOL_RATE_HZ,
  type SpoolCodec,
  type SpoolRecord,
  writeFileHeader,
  writeRecord,
} from "./recording-format.ts";

/** Suffixes of spool files. The node finds unfinished recordings by them. A spool that could not be written is deleted. */
export const spoolSuffixes = {
  /** Being written, at least every two seconds, or left by a process that died. */
  open: ".spool",
  /** Complete. */
  ended: ".ended",
} as const;

/** Records the audio of a call. Positions are in samples at 48 kHz since the call's first frame and never decrease. */
export interface CallAudioTap {
  /** A packet of the caller, at its playout. */
  caller: (codec: SpoolCodec, payload: Uint8Array, at: number) => void;
  /** Lost or late packets of the caller, in samples at 48 kHz. */
  lost: (samples: number, at: number) => void;
  agent: (codec: SpoolCodec, payload: Uint8Array, at: number) => void;
}

const RTP_CLOCK_SAMPLES = SPOOL_RATE_HZ / RTP_CLOCK_RATE_HZ;

/** Spool samples per unit of the RTP clock of telephone codecs. */
export const toSpoolClock = (units: number): number => units * RTP_CLOCK_SAMPLES;

export interface RecordingSpoolsOptions {
  /** An existing folder. */
  folder: string;
  /** Nothing is recorded while less than this is free on the folder's disk. Default 0. */
  reserveBytes?: number;
  /** Called when a recording is given up or ends before its call. */
  onError: (error: unknown, callId: string) => void;
  /** Bytes that can still be written to the folder's disk. Default: those that the system reports. */
  readSpace?: (folder: string) => Promise<number>;
}

/** About one second of both directions in G.711. */
const CHUNK_BYTES = 20 * 1024;
/** Longest part of a recording that is lost if its process is killed. */
const FLUSH_SAMPLES = SPOOL_RATE_HZ;
/** Unwritten data of one call at which its recording is given up. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;
const MAX_PAYLOAD_BYTES = 4096;
/**
 * Interval of time marks, which show that the file is being written while the call is on hold, and of looks at the disk:
 * a process of 250 calls writes less than 20 MB in it.
 */
const SIGN_OF_LIFE_MS = 2_000;

/** The spools of one media process. */
export class RecordingSpools {
  readonly #options: RecordingSpoolsOptions;
  readonly #spools = new Map<string, RecordingSpool>();
  #isDiskLow = false;
  /** Free buffers. */
  readonly #chunks: Buffer[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(options: RecordingSpoolsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      for (const spool of this.#spools.values()) spool.showLife();
      void this.checkSpace();
    }, SIGN_OF_LIFE_MS);
    void this.checkSpace();
  }

  /** Ends all recordings if the disk has less space than the reserve. Runs by itself every two seconds. */
  async checkSpace(): Promise<void> {
    const { folder, reserveBytes = 0, readSpace = readFreeBytes } = this.#options;
    // A folder that cannot be read is reported by its writes.
    const freeBytes = await readSpace(folder).catch(() => Infinity);
    this.#isDiskLow = freeBytes < reserveBytes;
    if (this.#isDiskLow) await Promise.all([...this.#spools.keys()].map(async (id) => await this.#stop(id)));
  }

  /** Keeps what is recorded so far. */
  async #stop(callId: string): Promise<void> {
    const problem =
      "recording stops: less than PARLEY_DISK_RESERVE_MB is free on the disk of PARLEY_DATA_DIR";
    this.#options.onError(new Error(problem), callId);
    await this.#spools.get(callId)?.close();
  }

  /** @param sampleRateHz Sample rate of the recording. */
  open(callId: string, sampleRateHz: RecordingRateHz): RecordingSpool {
    const { folder, onError } = this.#options;
    const spool = new RecordingSpool({
      file: path.join(folder, callId),
      sampleRateHz,
      chunks: this.#chunks,
      onError: (error) => onError(error, callId),
      onClose: () => this.#spools.delete(callId),
    });
    this.#spools.set(callId, spool);
    if (this.#isDiskLow) void this.#stop(callId);
    return spool;
  }

  /** Resolves when everything is written. Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#spools.values()].map(async (spool) => await spool.close()));
  }
}

interface RecordingSpoolOptions {
  /** Path without suffix. */
  file: string;
  sampleRateHz: RecordingRateHz;
  chunks: Buffer[];
  onError: (error: unknown) => void;
  onClose: () => void;
}

/** Spool of one call. Copies its input and never waits for the disk. A disk error costs only the recording. */
export class RecordingSpool implements CallAudioTap {
  readonly #options: RecordingSpoolOptions;
  /** Opened with the first record: an unanswered call leaves no file. */
  #output: WriteStream | undefined;
  #chunk: Buffer | undefined;
  #filled = 0;
  /** Positions of the last record and of the last one passed to the disk. */
  #at = 0;
  #flushedAt = 0;
  #isAlive = false;
  #isFailed = false;
  #closed: Promise<void> | undefined;

  constructor(options: RecordingSpoolOptions) {
    this.#options = options;
  }

  caller(codec: SpoolCodec, payload: Uint8Array, at: number): void {
    this.#append({ type: "caller", codec, payload, at });
  }

  lost(samples: number, at: number): void {
    this.#append({ type: "lost", samples, at });
  }

  agent(codec: SpoolCodec, payload: Uint8Array, at: number): void {
    this.#append({ type: "agent", codec, payload, at });
  }

  /** Called every few seconds. */
  showLife(): void {
    if (this.#output !== undefined && !this.#isAlive) {
      this.#append({ type: "time", at: this.#at });
      this.#flush();
    }
    this.#isAlive = false;
  }

  /** Resolves when the file is complete. Idempotent. */
  async close(): Promise<void> {
    this.#closed ??= this.#end().finally(() => this.#options.onClose());
    await this.#closed;
  }

  #append(record: SpoolRecord): void {
    const bytes = RECORD_HEADER_BYTES + payloadBytes(record);
    if (this.#isFailed || this.#closed !== undefined || bytes > MAX_PAYLOAD_BYTES) return;
    this.#output ??= this.#open();
    if (this.#chunk !== undefined && this.#filled + bytes > this.#chunk.length) this.#flush();
    this.#chunk ??= this.#options.chunks.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#filled = writeRecord(this.#chunk, this.#filled, record);
    this.#at = record.at;
    if (record.at - this.#flushedAt >= FLUSH_SAMPLES) this.#flush();
  }

  #open(): WriteStream {
    const { file, sampleRateHz } = this.#options;
    // It contains the caller's words.
    const output = createWriteStream(file + spoolSuffixes.open, { mode: 0o600 });
    output.on("error", (error) => this.#fail(error));
    const header = Buffer.alloc(FILE_HEADER_BYTES);
    writeFileHeader(header, sampleRateHz);
    output.write(header);
    return output;
  }

  #flush(): void {
    const [chunk, output] = [this.#chunk, this.#output];
    if (chunk === undefined || output === undefined) return;
    if (output.writableLength > MAX_UNWRITTEN_BYTES)
      return this.#fail(new Error("the disk is too slow for the recording"));
    output.write(chunk.subarray(0, this.#filled), () => this.#options.chunks.push(chunk));
    this.#chunk = undefined;
    this.#filled = 0;
    this.#flushedAt = this.#at;
    this.#isAlive = true;
  }

  #fail(error: unknown): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.#output?.destroy();
    this.#options.onError(error);
  }

  async #end(): Promise<void> {
    const output = this.#output;
    if (output === undefined) return;
    const open = this.#options.file + spoolSuffixes.open;
    if (!this.#isFailed) {
      this.#flush();
      output.end();
    }
    // After an error too: the file may still be created by an open that is in progress.
    if (!output.closed) await new Promise<void>((resolve) => output.once("close", resolve));
    try {
      if (!this.#isFailed) return await rename(open, this.#options.file + spoolSuffixes.ended);
    } catch (error) {
      this.#fail(error);
    }
    await rm(open, { force: true }).catch((error: unknown) => this.#options.onError(error));
  }
}
