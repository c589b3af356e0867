import { Resampler, type ResamplerRateHz } from "@parley/audio";
import { ProviderError } from "@parley/conversation";
import type { JobLoad } from "../inference/job-load.ts";
import { JobQueue } from "../inference/job-queue.ts";
import type { InferenceHandlers, InferenceMethods } from "../inference/methods.ts";
import { ClauseCache, type SpokenClause } from "./clause-cache.ts";
import type { SpeechEngine } from "./engine.ts";
import { toTelephoneLevel } from "./loudness.ts";
import type { SpeechStore } from "./speech-store.ts";
import { wordTimings } from "./word-timings.ts";

/**
 * Engines by the first part of a voice id: `kokoro/af_heart` is `af_heart` of `kokoro`. Engines may be added while the handler
 * serves.
 */
export type SpeechEngines = Readonly<Record<string, SpeechEngine | undefined>>;

export interface SynthesizeHandlerOptions {
  /** Clauses that may wait for an engine; one more is refused as overloaded. */
  maxWaiting?: number;
  /** Voice ids, by the engine that they replace while it is not in `engines`. */
  standIns?: Readonly<Record<string, string>>;
  /** Greetings and set phrases repeat in every call: their audio is kept up to this size. */
  maxCacheBytes?: number;
  /** Where prepared speech outlives the process. */
  store?: SpeechStore | undefined;
  /** Shared with the other models of the process. */
  load?: JobLoad;
}

type Params = InferenceMethods["synthesize"]["params"];

const CHUNK_MS = 200;
const MIN_SPEED = 0.5;
const MAX_SPEED = 2;
const MAX_TEXT_LENGTH = 5000;
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

interface Resolved {
  engine: SpeechEngine;
  queue: JobQueue;
  voice: string;
  rateHz: ResamplerRateHz;
  /** Of the clause among all that were ever spoken. */
  key: string;
}

function refuse(provider: string, message: string): ProviderError {
  return new ProviderError({ provider, kind: "status", message, isRetryable: false });
}

type Emit = (chunk: InferenceMethods["synthesize"]["chunk"]) => void;

/** @param endsPhrase Of the last chunk. */
function emitChunks(pcm: Int16Array, sampleRateHz: number, emit: Emit, endsPhrase = false): void {
  const size = (sampleRateHz * CHUNK_MS) / 1000;
  for (let start = 0; start < pcm.length; start += size) {
    const isLast = start + size >= pcm.length;
    emit({ pcm: pcm.slice(start, start + size), ...(isLast && endsPhrase && { endsPhrase }) });
  }
}

function join(pieces: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/**
 * Serves `synthesize`: a clause at a time per engine, at telephone level and the rate asked for, in chunks of at
 * most 200 ms as its phrases are made. A clause said before is answered at once, one that was prepared also after a
 * restart. Between the phrases of what is prepared, calls go first.
 */
export function createSynthesizeHandler(
  engines: SpeechEngines,
  options: SynthesizeHandlerOptions = {},
): NonNullable<InferenceHandlers["synthesize"]> {
  const { maxWaiting = 64, store, load } = options;
  const cache = new ClauseCache(options.maxCacheBytes ?? DEFAULT_CACHE_BYTES);
  const standIns = new Map(Object.entries(options.standIns ?? {}));
  const queues = new Map<SpeechEngine, JobQueue>();
  const queueOf = (engine: SpeechEngine): JobQueue => {
    const queue =
      queues.get(engine) ?? new JobQueue({ provider: engine.name, maxWaiting, ...(load && { load }) });
    queues.set(engine, queue);
    return queue;
  };
  const engineOf = (prefix: string): SpeechEngine | undefined =>
    Object.hasOwn(engines, prefix) ? engines[prefix] : undefined;

  const resolve = (params: Params): Resolved => {
    const [asked = ""] = params.voice.split("/");
    const standIn = engineOf(asked) === undefined ? standIns.get(asked) : undefined;
    const voiceId = standIn ?? params.voice;
    const [prefix = "", voice = ""] = voiceId.split("/");
    const engine = engineOf(prefix);
    if (engine === undefined || !engine.voices.includes(voice)) {
      throw refuse(engine?.name ?? "local", `there is no voice ${params.voice}`);
    }
    if (!(params.speed >= MIN_SPEED && params.speed <= MAX_SPEED)) {
      throw refuse(engine.name, `speed ${params.speed} is not within ${MIN_SPEED} and ${MAX_SPEED}`);
    }
    if (params.sampleRateHz !== 8000 && params.sampleRateHz !== 16_000) {
      throw refuse(engine.name, `audio of ${params.sampleRateHz} Hz`);
    }
    if (params.text.length > MAX_TEXT_LENGTH) {
      throw refuse(engine.name, `more than ${MAX_TEXT_LENGTH} characters at once`);
    }
    const key = JSON.stringify([engine.version, voiceId, params.speed, params.text]);
    return { engine, queue: queueOf(engine), voice, rateHz: params.sampleRateHz, key };
  };

  /** What cannot be kept is made again after the next start. */
  const keep = async (key: string, clause: SpokenClause): Promise<void> => {
    if (store?.has(key) === false) await store.set(key, clause).catch(() => undefined);
  };

  return async (params, { signal, emit }) => {
    const { engine, queue, voice, rateHz, key } = resolve(params);
    const { speed, priority } = params;
    const isPreparation = priority === "preparation";
    let known = cache.get(key);
    if (known === undefined && store?.has(key) === true) {
      known = await store.get(key);
      if (known !== undefined) cache.set(key, known);
    }
    if (known !== undefined) {
      if (isPreparation) await keep(key, known);
      const resampler = new Resampler(engine.sampleRateHz, rateHz);
      emitChunks(resampler.process(known.pcm), rateHz, emit);
      emitChunks(resampler.flush(), rateHz, emit);
      return { words: known.words, isCached: true };
    }
    return await queue.run({ priority, signal }, async (giveWay) => {
      const resampler = new Resampler(engine.sampleRateHz, rateHz);
      const pieces: Int16Array[] = [];
      const wordEndsMs: number[] = [];
      let spokenMs = 0;
      const isUrgent = priority === "turn";
      for await (const piece of engine.synthesize(params.text, { voice, speed, isUrgent }, signal)) {
        signal.throwIfAborted();
        for (const endMs of piece.wordEndsMs) wordEndsMs.push(spokenMs + endMs);
        spokenMs += (piece.samples.length * 1000) / engine.sampleRateHz;
        const pcm = toTelephoneLevel(piece.samples);
        pieces.push(pcm);
        emitChunks(resampler.process(pcm), rateHz, emit, piece.endsPhrase);
        await giveWay();
      }
      signal.throwIfAborted();
      if (pieces.length > 0) emitChunks(resampler.flush(), rateHz, emit);
      const words = wordTimings(params.text, wordEndsMs);
      const clause = { pcm: join(pieces), words };
      cache.set(key, clause);
      if (isPreparation) await keep(key, clause);
      return { words, isCached: false };
    });
  };
}
