import { randomUUID } from "node:crypto";
import { writeWav } from "@parley/audio";
import type { SpeechToText, SpeechToTextOptions, SpeechToTextStream } from "@parley/conversation";
import { createDeadlineFetch } from "../http/deadline-fetch.ts";
import { isObject } from "../http/is-object.ts";
import { SampleBuffer, SampleRing } from "../samples.ts";
import { fetchError, statusError } from "../http/http-error.ts";

export interface OpenAiSpeechToTextOptions {
  /** URL without `/audio/transcriptions`, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Omitted for servers without authentication. */
  apiKey?: string | undefined;
  model?: string | undefined;
  connectTimeoutMs?: number;
  /** From the request to its answer. */
  answerTimeoutMs?: number;
}

/** A `SpeechToText` that owns connections. */
export interface OpenAiSpeechToText extends SpeechToText {
  /** Aborts requests under way and closes the pooled connections. Idempotent. */
  close(): Promise<void>;
}

/** Audio kept from before an utterance is marked. */
const PRE_ROLL_MS = 1_500;
/** Maximum length; of longer utterances the end is kept, because the vendor refuses large files. */
const MAX_UTTERANCE_MS = 120_000;
/** The vendor refuses less than 100 ms. */
const MIN_UTTERANCE_MS = 120;

/**
 * Recognizer on any server with OpenAI's `/audio/transcriptions`
 * (https://platform.openai.com/docs/api-reference/audio/createTranscription): each flush sends the utterance as a WAV
 * file. No partials; key terms are sent as the prompt.
 */
export function createOpenAiSpeechToText(options: OpenAiSpeechToTextOptions): OpenAiSpeechToText {
  const model = options.model ?? "gpt-4o-mini-transcribe";
  const name = `openai/${model}`;
  const answerTimeoutMs = options.answerTimeoutMs ?? 8_000;
  const http = createDeadlineFetch({
    provider: name,
    connectTimeoutMs: options.connectTimeoutMs ?? 3_000,
    firstByteTimeoutMs: answerTimeoutMs,
    betweenChunksTimeoutMs: answerTimeoutMs,
  });
  const request = {
    provider: name,
    url: `${options.baseUrl}/audio/transcriptions`,
    apiKey: options.apiKey,
    model,
  };
  return {
    name,
    open: (call) => new TranscriptionStream({ ...request, fetch: http.fetch }, call),
    close: async () => await http.close(),
  };
}

interface Transcription {
  provider: string;
  url: string;
  apiKey: string | undefined;
  model: string;
  fetch: typeof globalThis.fetch;
}

class TranscriptionStream implements SpeechToTextStream {
  readonly #request: Transcription;
  readonly #call: SpeechToTextOptions;
  readonly #recent: SampleRing;
  #utterance: SampleBuffer | undefined;
  #flush: AbortController | undefined;
  #isClosed = false;

  constructor(request: Transcription, call: SpeechToTextOptions) {
    this.#request = request;
    this.#call = call;
    this.#recent = new SampleRing(this.#toSamples(PRE_ROLL_MS));
  }

  write(pcm: Int16Array): void {
    if (this.#isClosed) return;
    this.#recent.write(pcm);
    const utterance = this.#utterance;
    if (utterance === undefined) return;
    utterance.append(pcm);
    const excess = utterance.length - this.#toSamples(MAX_UTTERANCE_MS);
    // Removed in large steps, because each one moves all remaining samples.
    if (excess > this.#toSamples(MAX_UTTERANCE_MS / 10)) utterance.shift(excess);
  }

  startUtterance(leadMs: number): void {
    this.endUtterance();
    this.#utterance = new SampleBuffer(this.#toSamples(4_000));
    this.#utterance.append(this.#recent.last(this.#toSamples(leadMs)));
  }

  flush(flushId: number): void {
    if (this.#isClosed) return;
    this.#flush?.abort();
    const flush = new AbortController();
    this.#flush = flush;
    this.#transcribe(flush.signal).then(
      (text) => {
        if (!flush.signal.aborted) this.#call.onEvent({ type: "flushed", flushId, text });
      },
      (cause: unknown) => {
        if (flush.signal.aborted) return;
        const error = fetchError(this.#request.provider, cause);
        this.#call.onEvent({ type: "failed", error });
      },
    );
  }

  endUtterance(): void {
    this.#flush?.abort();
    this.#flush = undefined;
    this.#utterance = undefined;
  }

  close(): void {
    this.endUtterance();
    this.#isClosed = true;
  }

  async #transcribe(signal: AbortSignal): Promise<string> {
    const pcm = this.#utterance?.view();
    if (pcm === undefined || pcm.length < this.#toSamples(MIN_UTTERANCE_MS)) return "";
    const { provider, url, apiKey, fetch } = this.#request;
    const { contentType, body } = this.#form(
      writeWav({ sampleRateHz: this.#call.sampleRateHz, channels: 1, pcm }),
    );
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": contentType,
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body,
      signal,
    });
    if (!response.ok) throw await statusError(provider, response);
    const answer: unknown = await response.json();
    if (!isObject(answer) || typeof answer["text"] !== "string") throw new Error("the answer has no text");
    return answer["text"].trim();
  }

  /** Multipart form (RFC 7578 §4). */
  #form(wav: Uint8Array): { contentType: string; body: Uint8Array<ArrayBuffer> } {
    const { language, keyterms } = this.#call;
    const boundary = randomUUID();
    const fields = {
      model: this.#request.model,
      language: language.split("-")[0] ?? language,
      response_format: "json",
      ...(keyterms.length > 0 && { prompt: keyterms.join(", ") }),
    };
    const head = Object.entries(fields)
      .map(
        ([name, value]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join("");
    const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="speech.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head + file), wav, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    return { contentType: `multipart/form-data; boundary=${boundary}`, body: new Uint8Array(body) };
  }

  #toSamples(ms: number): number {
    return (ms * this.#call.sampleRateHz) / 1000;
  }
}
