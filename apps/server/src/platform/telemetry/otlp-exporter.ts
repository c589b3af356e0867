import type { Logger } from "pino";

/** Finished span, in the terms of OTLP's trace proto. */
export interface Span {
  /** 16 bytes as hex. */
  traceId: string;
  /** 8 bytes as hex. */
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** Milliseconds since 1970. */
  startMs: number;
  endMs: number;
  attributes: Readonly<Record<string, string | number>>;
  events?: readonly { atMs: number; name: string; attributes: Readonly<Record<string, string | number>> }[];
  /** Present if the span failed. */
  error?: string;
}

export interface OtlpExporterOptions {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`, without `/v1/traces`, which is appended. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  logger: Logger;
}

const FLUSH_INTERVAL_MS = 5_000;
const BATCH_SPANS = 512;
/** Spans that wait while the collector is unavailable; further spans are dropped. */
const MAX_WAITING_SPANS = 4_096;
const REQUEST_DEADLINE_MS = 5_000;
const SPAN_KIND_SERVER = 2;
const STATUS_ERROR = 2;

/**
 * Sends spans to a collector as OTLP over HTTP in its JSON form (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
 * Telemetry delays no other work: a batch that the collector does not accept is dropped.
 */
export class OtlpExporter {
  readonly #options: OtlpExporterOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: Span[] = [];
  #dropped = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  add(span: Span): void {
    if (this.#waiting.length >= MAX_WAITING_SPANS) this.#dropped++;
    else this.#waiting.push(span);
  }

  /** Sends waiting spans in batches. Never rejects. */
  async flush(): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, BATCH_SPANS));
    });
    await this.#sending;
  }

  /** Sends waiting spans once. Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const { endpoint, headers, logger } = this.#options;
    try {
      const response = await fetch(`${endpoint}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(toRequest(spans)),
        signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`status ${response.status}`);
    } catch (error) {
      this.#dropped += spans.length;
      logger.warn(
        { err: error, dropped: this.#dropped },
        "exporting spans to the OpenTelemetry collector failed",
      );
    }
  }
}

function toRequest(spans: readonly Span[]): unknown {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes({ "service.name": "parley" }) },
        scopeSpans: [{ scope: { name: "parley" }, spans: spans.map(toOtlp) }],
      },
    ],
  };
}

function toOtlp({ startMs, endMs, attributes, events = [], error, ...span }: Span): unknown {
  return {
    ...span,
    kind: SPAN_KIND_SERVER,
    startTimeUnixNano: toNano(startMs),
    endTimeUnixNano: toNano(endMs),
    attributes: toAttributes(attributes),
    events: events.map(({ atMs, name, attributes: more }) => ({
      timeUnixNano: toNano(atMs),
      name,
      attributes: toAttributes(more),
    })),
    ...(error !== undefined && { status: { code: STATUS_ERROR, message: error } }),
  };
}

/** 64-bit integers are strings in the JSON form. */
function toNano(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function toAttributes(attributes: Readonly<Record<string, string | number>>): unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { doubleValue: value },
  }));
}
