import { Resampler, type ResamplerRateHz, shiftPitch } from "@parley/audio";
import { ProviderError } from "@parley/conversation";
import type { JobLoad } from "../inference/job-load.ts";
import { type GiveWay, JobQueue } from "../inference/job-queue.ts";
import type { InferenceHandlers, InferenceMethods } from "../inference/methods.ts";
import { ClauseCache, type SpokenClause } from "./clause-cache.ts";
import type { SpeechEngine } from "./engine.ts";
import { toTelephoneLevel } from "./loudness.ts";
import { parseShapedVoice } from "./shaped-voice.ts";
import type { SpeechStore } from "./speech-store.ts";
import { wordTimings } from "./word-timings.ts";

/**
 * Engines by the first part of a voice id: `kokoro/af_heart` is `af_heart` of `kokoro`. Engines may be added while the
 * handler serves.
 */
export type SpeechEngines = Readonly<Record<string, SpeechEngine | undefined>>;

export interface SynthesizeHandlerOptions {
  /** Maximum number of clauses that wait for an engine; further ones are refused as overloaded. */
  maxWaiting?: number;
  /** Voice ids by the engine that they replace while it is not in `engines`. */
  standIns?: Readonly<Record<string, string>>;
  /** Size of the audio cache: greetings and fixed phrases repeat in every call. */
  maxCacheBytes?: number;
  /** Store of prepared speech that survives the process. */
  store?: SpeechStore | undefined;
  /** Shared with the other models of the process. */
  load?: JobLoad;
}

type Handler = NonNullable<InferenceHandlers["synthesize"]>;
type Params = InferenceMethods["synthesize"]["params"];
type Context = Parameters<Handler>[1];
type SynthesizeResult = InferenceMethods["synthesize"]["result"];

const CHUNK_MS = 200;
const MIN_SPEED = 0.5;
const MAX_SPEED = 2;
const MAX_TEXT_LENGTH = 5000;
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

interface Resolved {
  engine: SpeechEngine;
  queue: JobQueue;
  voice: string;
  /** Factor of the voice's pitch. */
  pitch: number;
  /** Of the voice's own pace. */
  speed: number;
  rateHz: ResamplerRateHz;
  /** Identifies the clause among all clauses. */
  key: string;
}

function refuse(provider: string, message: string): ProviderError {
  return new ProviderError({ provider, kind: "status", message, isRetryable: false });
}

type Emit = (chunk: InferenceMethods["synthesize"]["chunk"]) => void;

/** @param endsPhrase Applies to the last chunk. */
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
 * Serves `synthesize`: one clause at a time per engine, at telephone level and the requested sample rate, in chunks of at
 * most 200 ms as its phrases are synthesized. A clause spoken before is answered at once, and a prepared one also after a
 * restart. Preparation yields to calls between its phrases.
 */
export function createSynthesizeHandler(
  engines: SpeechEngines,
  options: SynthesizeHandlerOptions = {},
): Handler {
  const synthesizer = new ClauseSynthesizer(engines, options);
  return (params, context) => synthesizer.speak(params, context);
}

class ClauseSynthesizer {
  readonly #engines: SpeechEngines;
  readonly #options: SynthesizeHandlerOptions;
  readonly #standIns: ReadonlyMap<string, string>;
  readonly #cache: ClauseCache;
  readonly #queues = new Map<SpeechEngine, JobQueue>();

  constructor(engines: SpeechEngines, options: SynthesizeHandlerOptions) {
    this.#engines = engines;
    this.#options = options;
    this.#standIns = new Map(Object.entries(options.standIns ?? {}));
    this.#cache = new ClauseCache(options.maxCacheBytes ?? DEFAULT_CACHE_BYTES);
  }

  async speak(params: Params, context: Context): Promise<SynthesizeResult> {
    const request = this.#resolve(params);
    const isStored = this.#options.store?.has(request.key) === true;
    const known = this.#cache.get(request.key) ?? (isStored ? await this.#load(request.key) : undefined);
    if (known !== undefined) return await this.#repeat(known, params, request, context);
    const { priority } = params;
    return await request.queue.run({ priority, signal: context.signal }, async (giveWay) => {
      // The job before this one may have synthesized the same clause: a call waits for the preparation of its greeting.
      const meanwhile = this.#cache.get(request.key);
      return meanwhile === undefined
        ? await this.#synthesize(params, request, context, giveWay)
        : await this.#repeat(meanwhile, params, request, context);
    });
  }

  #resolve(params: Params): Resolved {
    const shaped = parseShapedVoice(params.voice);
    const [requested = ""] = shaped.voice.split("/");
    const standIn = this.#engine(requested) === undefined ? this.#standIns.get(requested) : undefined;
    // The factors are those of the voice that it stands for.
    const { voice: voiceId, pitch, rate } = standIn === undefined ? shaped : parseShapedVoice(standIn);
    const [prefix = "", voice = ""] = voiceId.split("/");
    const engine = this.#engine(prefix);
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
    const speed = Math.min(MAX_SPEED, Math.max(MIN_SPEED, params.speed * rate));
    const shape = pitch === 1 ? [] : [pitch];
    const key = JSON.stringify([engine.version, voiceId, speed, params.text, ...shape]);
    return { engine, queue: this.#queue(engine), voice, pitch, speed, rateHz: params.sampleRateHz, key };
  }

  #engine(prefix: string): SpeechEngine | undefined {
    return Object.hasOwn(this.#engines, prefix) ? this.#engines[prefix] : undefined;
  }

  #queue(engine: SpeechEngine): JobQueue {
    const { maxWaiting = 64, load } = this.#options;
    const queue =
      this.#queues.get(engine) ?? new JobQueue({ provider: engine.name, maxWaiting, ...(load && { load }) });
    this.#queues.set(engine, queue);
    return queue;
  }

  async #load(key: string): Promise<SpokenClause | undefined> {
    const clause = await this.#options.store?.get(key);
    if (clause !== undefined) this.#cache.set(key, clause);
    return clause;
  }

  /** Stores a clause; one that cannot be stored is synthesized again after the next start. */
  async #store(key: string, clause: SpokenClause): Promise<void> {
    const { store } = this.#options;
    if (store?.has(key) === false) await store.set(key, clause).catch(() => undefined);
  }

  /** Emits a clause that was synthesized before. */
  async #repeat(
    { pcm, words }: SpokenClause,
    { priority }: Params,
    { engine, rateHz, key }: Resolved,
    { emit }: Context,
  ): Promise<SynthesizeResult> {
    if (priority === "preparation") await this.#store(key, { pcm, words });
    const resampler = new Resampler(engine.sampleRateHz, rateHz);
    emitChunks(resampler.process(pcm), rateHz, emit);
    emitChunks(resampler.flush(), rateHz, emit);
    return { words, isCached: true };
  }

  async #synthesize(
    { text, priority, firstShare }: Params,
    { engine, voice, pitch, speed, rateHz, key }: Resolved,
    { signal, emit }: Context,
    giveWay: GiveWay,
  ): Promise<SynthesizeResult> {
    const resampler = new Resampler(engine.sampleRateHz, rateHz);
    const pieces: Int16Array[] = [];
    const wordEndsMs: number[] = [];
    let spokenMs = 0;
    for await (const piece of engine.synthesize(text, { voice, speed, firstShare }, signal)) {
      signal.throwIfAborted();
      for (const endMs of piece.wordEndsMs) wordEndsMs.push(spokenMs + endMs);
      spokenMs += (piece.samples.length * 1000) / engine.sampleRateHz;
      const pcm = shiftPitch(toTelephoneLevel(piece.samples), engine.sampleRateHz, pitch);
      pieces.push(pcm);
      emitChunks(resampler.process(pcm), rateHz, emit, piece.endsPhrase);
      if (!piece.isLast) await giveWay();
    }
    signal.throwIfAborted();
    if (pieces.length > 0) emitChunks(resampler.flush(), rateHz, emit);
    const words = wordTimings(text, wordEndsMs);
    const clause = { pcm: join(pieces), words };
    this.#cache.set(key, clause);
    if (priority === "preparation") await this.#store(key, clause);
    return { words, isCached: false };
  }
}
