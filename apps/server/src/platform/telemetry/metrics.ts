import { LAG_BOUNDS_MS } from "@parley/rtp";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** Sources of the gauges, read at each request. */
export interface MetricSources {
  wheelLagP99Ms: () => number;
  /** Exceptions that belong to no call. */
  processFaults: () => number;
  /** Providers that are passed over because they fail. */
  openCircuits: () => number;
  /** Number of frames by `LAG_BOUNDS_MS`, each frame counted once. */
  lagCounts: () => readonly number[];
  /** By model: 1 if it is used, 0 if it cannot be opened or answers wrongly on this machine. */
  modelUsability: () => ReadonlyMap<string, number>;
  /** Open transactions. */
  sipTransactions: () => number;
}

/** Parts of a turn as reported, in milliseconds. */
export interface TurnParts {
  endpointingMs: number;
  sttMs: number;
  llmFirstTokenMs: number;
  toolMs: number;
  llmFirstClauseMs: number;
  ttsFirstByteMs: number;
  waitMs: number;
  overheadMs: number;
  totalMs: number;
}

/** Seconds. No message or request may block the main process for more than 0.1 s. */
const stallBuckets = [0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10];
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10];

/** Metrics of the node in Prometheus' format, in seconds and bytes as is customary. */
export class Metrics {
  readonly registry = new Registry();
  readonly #calls: Counter<"end_reason">;
  readonly #turns: Histogram<"part">;
  readonly #lostAudio: Counter;
  readonly #queueTimes: Histogram<"priority">;
  readonly #callFaults: Counter;
  readonly #providerFailures: Counter<"part" | "provider" | "taken_over">;
  readonly #stalls: Histogram;

  constructor(sources: MetricSources) {
    const { wheelLagP99Ms, lagCounts, modelUsability, processFaults, openCircuits, sipTransactions } =
      sources;
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.addGauge(
      "parley_media_wheel_lag_p99_seconds",
      "Delay of audio frames in seconds: 99th percentile over the last 10 s in the slowest media process.",
      () => wheelLagP99Ms() / 1000,
    );
    this.#addLagCounter(lagCounts);
    this.#addModelGauge(modelUsability);
    this.addCounter(
      "parley_process_faults_total",
      "Exceptions in Parley's own code outside of any call. The process continues.",
      processFaults,
    );
    this.#callFaults = new Counter({
      name: "parley_call_faults_total",
      help: "Calls ended by an exception in Parley's own code.",
      registers,
    });
    this.#providerFailures = this.#addProviders(openCircuits);
    this.addGauge("parley_sip_transactions", "Open SIP transactions.", sipTransactions);
    this.#calls = new Counter({
      name: "parley_calls_total",
      help: "Ended calls by end reason.",
      labelNames: ["end_reason"],
      registers,
    });
    this.#turns = new Histogram({
      name: "parley_turn_seconds",
      help: "Latency of agent turns by part, in seconds.",
      labelNames: ["part"],
      buckets: latencyBuckets,
      registers,
    });
    this.#queueTimes = new Histogram({
      name: "parley_inference_queue_seconds",
      help: "Waiting time of jobs for the local models by priority, in seconds.",
      labelNames: ["priority"],
      buckets: latencyBuckets,
      registers,
    });
    this.#lostAudio = new Counter({
      name: "parley_lost_speech_total",
      help: "Agent utterances aborted because no packet was sent.",
      registers,
    });
    this.#stalls = new Histogram({
      name: "parley_event_loop_stall_seconds",
      help: "Time in seconds for which the main process's own work blocked its event loop. Stalls of 5 ms or more.",
      buckets: stallBuckets,
      registers,
    });
  }

  #addProviders(openCircuits: () => number): Counter<"part" | "provider" | "taken_over"> {
    this.addGauge(
      "parley_provider_circuits_open",
      "Providers that are passed over because they fail, counted for each organization and media process.",
      openCircuits,
    );
    return new Counter({
      name: "parley_provider_failures_total",
      help: "Failures of providers in calls, by part, provider, and whether the turn went on with it or another one.",
      labelNames: ["part", "provider", "taken_over"],
      registers: [this.registry],
    });
  }

  /** Adds a gauge that a feature of the node reports. */
  addGauge(name: string, help: string, read: () => number): void {
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
        help: "1: the local model is used. 0: it cannot be opened or fails its self-test on this machine.",
        labelNames: ["model"],
        registers: [],
        collect,
      }),
    );
  }

  /** Adds a counter that a feature of the node reports. */
  addCounter(name: string, help: string, read: () => number): void {
    const collect = function (this: Counter): void {
      this.reset();
      this.inc(read());
    };
    this.registry.registerMetric(new Counter({ name, help, registers: [], collect }));
  }

  /**
   * The library's histogram accepts only one observation at a time, which is too slow for ten thousand frames per
   * second.
   */
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
        help: "Audio frames processed with a delay of at most `le` seconds.",
        labelNames: ["le"],
        registers: [],
        collect,
      }),
    );
  }

  observeCall(endReason: string): void {
    this.#calls.inc({ end_reason: endReason });
  }

  /** @param provider `vendor/model`; only the vendor is a label, because agents name models. */
  observeProviderFailure(part: string, provider: string, isTakenOver: boolean): void {
    const [vendor = ""] = provider.split("/");
    this.#providerFailures.inc({ part, provider: vendor, taken_over: isTakenOver ? "true" : "false" });
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

/** Converts `llmFirstTokenMs` to `llm_first_token`: the value is in seconds, and labels use snake case. */
function toLabel(name: string): string {
  return name.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
