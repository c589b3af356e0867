import { LAG_BOUNDS_MS } from "@parley/rtp";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** What the gauges are read from when somebody asks. */
export interface MetricSources {
  activeCalls: () => number;
  wheelLagP99Ms: () => number;
  /** Exceptions that belong to no call. */
  processFaults: () => number;
  /** By `LAG_BOUNDS_MS`, each frame counted once. */
  lagCounts: () => readonly number[];
  /** By model: 1 if it is used, 0 if it cannot be opened or answers wrongly on this machine. */
  modelUsability: () => ReadonlyMap<string, number>;
  /** Open now. */
  sipTransactions: () => number;
  /** Since the start. */
  numberLookups: () => number;
}

/** The parts of a turn as they are reported; milliseconds. */
export interface TurnParts {
  endpointingMs: number;
  sttMs: number;
  llmFirstTokenMs: number;
  ttsFirstByteMs: number;
  overheadMs: number;
  totalMs: number;
}

/** Seconds. No message or request may keep the main process from its other work for more than 0.1. */
const stallBuckets = [0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10];
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10];

/** The node's metrics in Prometheus' format, in seconds and bytes as is its custom. */
export class Metrics {
  readonly registry = new Registry();
  readonly #calls: Counter<"end_reason">;
  readonly #turns: Histogram<"part">;
  readonly #lostAudio: Counter;
  readonly #queueTimes: Histogram<"priority">;
  readonly #callFaults: Counter;
  readonly #stalls: Histogram;

  constructor({
    activeCalls,
    wheelLagP99Ms,
    lagCounts,
    modelUsability,
    processFaults,
    sipTransactions,
    numberLookups,
  }: MetricSources) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#addGauge("parley_active_calls", "Calls that this node holds.", activeCalls);
    this.#addGauge(
      "parley_media_wheel_lag_p99_seconds",
      "How late audio was handled after it was due, 99th percentile of the last 10 s, worst media process.",
      () => wheelLagP99Ms() / 1000,
    );
    this.#addLagCounter(lagCounts);
    this.#addModelGauge(modelUsability);
    this.#addCounter(
      "parley_process_faults_total",
      "Exceptions in the platform's own code that belong to no call. The process goes on.",
      processFaults,
    );
    this.#callFaults = new Counter({
      name: "parley_call_faults_total",
      help: "Calls that ended because of an exception in the platform's own code.",
      registers,
    });
    this.#addGauge("parley_sip_transactions", "Open SIP transactions.", sipTransactions);
    this.#addCounter(
      "parley_sip_number_lookups_total",
      "Look-ups in the database of the numbers that INVITEs call, each for all numbers that waited.",
      numberLookups,
    );
    this.#calls = new Counter({
      name: "parley_calls_total",
      help: "Calls that have ended.",
      labelNames: ["end_reason"],
      registers,
    });
    this.#turns = new Histogram({
      name: "parley_turn_seconds",
      help: "Where the time of the agent's answers went.",
      labelNames: ["part"],
      buckets: latencyBuckets,
      registers,
    });
    this.#queueTimes = new Histogram({
      name: "parley_inference_queue_seconds",
      help: "How long work for the local models waited before it began, by what it is for.",
      labelNames: ["priority"],
      buckets: latencyBuckets,
      registers,
    });
    this.#lostAudio = new Counter({
      name: "parley_lost_speech_total",
      help: "Speeches of agents that ended because no packet of them left.",
      registers,
    });
    this.#stalls = new Histogram({
      name: "parley_event_loop_stall_seconds",
      help: "How long the main process's own work kept its event loop from its timers, each time that was 5 ms or more.",
      buckets: stallBuckets,
      registers,
    });
  }

  #addGauge(name: string, help: string, read: () => number): void {
    const collect = function (this: Gauge): void {
      this.set(read());
    };
    this.registry.registerMetric(new Gauge({ name, help, registers: [], collect }));
  }

  #addModelGauge(read: () => ReadonlyMap<string, number>): void {
    const collect = function (this: Gauge<"model">): void {
      for (const [model, value] of read()) this.set({ model }, value);
    };
    this.registry.registerMetric(
      new Gauge({
        name: "parley_model_usable",
        help: "1 if the local model is used, 0 if it cannot be opened or fails its self-test on this machine.",
        labelNames: ["model"],
        registers: [],
        collect,
      }),
    );
  }

  #addCounter(name: string, help: string, read: () => number): void {
    const collect = function (this: Counter): void {
      this.reset();
      this.inc(read());
    };
    this.registry.registerMetric(new Counter({ name, help, registers: [], collect }));
  }

  /** The library's histogram takes one observation at a time, which ten thousand frames a second are too many for. */
  #addLagCounter(read: () => readonly number[]): void {
    const collect = function (this: Counter<"le">): void {
      const counts = read();
      this.reset();
      let total = 0;
      for (const [index, boundMs] of [...LAG_BOUNDS_MS, Infinity].entries()) {
        total += counts[index] ?? 0;
        this.inc({ le: boundMs === Infinity ? "+Inf" : String(boundMs / 1000) }, total);
      }
    };
    this.registry.registerMetric(
      new Counter({
        name: "parley_media_frames_total",
        help: "Frames of audio that were handled at most so many seconds after they were due.",
        labelNames: ["le"],
        registers: [],
        collect,
      }),
    );
  }

  observeCall(endReason: string): void {
    this.#calls.inc({ end_reason: endReason });
  }

  observeFault(): void {
    this.#callFaults.inc();
  }

  observeLostAudio(): void {
    this.#lostAudio.inc();
  }

  observeStall(ms: number): void {
    this.#stalls.observe(ms / 1000);
  }

  /** @param priority `turn`, `partial` or `preparation`. */
  observeQueueTime(priority: string, waitedMs: number): void {
    this.#queueTimes.observe({ priority }, waitedMs / 1000);
  }

  observeTurn(parts: TurnParts): void {
    for (const [name, milliseconds] of Object.entries(parts)) {
      this.#turns.observe({ part: toLabel(name) }, milliseconds / 1000);
    }
  }
}

/** `llmFirstTokenMs` → `llm_first_token`: the value is in seconds, and labels are written so. */
function toLabel(name: string): string {
  return name.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
