import { setTimeout as sleep } from "node:timers/promises";
import { readRecording } from "../../e2e/support/audio/recordings.ts";
import { TestCaller } from "../../e2e/support/phone/test-caller.ts";
import { percentile, rounded } from "../support/statistics.ts";

export interface VictimTarget {
  url: string;
  apiKey: string;
  sipPort: number;
  number: string;
  agentId: string;
}

/** What the other organization notices in one phase. */
export interface VictimRow {
  apiRequests: number;
  apiFailures: number;
  apiP50Ms: number | null;
  apiP99Ms: number | null;
  calls: number;
  callFailures: number;
  greetingP50Ms: number | null;
  greetingMaxMs: number | null;
  answerP50Ms: number | null;
  answerMaxMs: number | null;
  /** Longest pause between two packets of the agent's audio. */
  gapMaxMs: number | null;
  webhooks: number;
  webhookMaxMs: number | null;
  failures: string[];
}

const REQUEST_INTERVAL_MS = 50;
const CALL_DEADLINE_MS = 15_000;
const WEBHOOK_DEADLINE_MS = 20_000;
/** Callers at once. */
const CALLERS = 2;

/** The organization that does nothing wrong: measures its API, its calls and its webhooks. */
export class Victim {
  readonly #target: VictimTarget;
  readonly #apiMs: number[] = [];
  readonly #greetingMs: number[] = [];
  readonly #answerMs: number[] = [];
  readonly #gapMs: number[] = [];
  readonly #webhookMs: number[] = [];
  readonly #hungUpAtMs = new Map<string, number>();
  readonly #failures: string[] = [];
  #apiFailures = 0;
  #calls = 0;
  #callFailures = 0;
  static #lastCaller = 0;

  constructor(target: VictimTarget) {
    this.#target = target;
  }

  /** Called for each webhook about the end of a call. */
  noteWebhook(fromNumber: string): void {
    const hungUpAtMs = this.#hungUpAtMs.get(fromNumber);
    if (hungUpAtMs === undefined) return;
    this.#hungUpAtMs.delete(fromNumber);
    this.#webhookMs.push(performance.now() - hungUpAtMs);
  }

  async run(seconds: number): Promise<VictimRow> {
    const endMs = performance.now() + seconds * 1000;
    const callers = Array.from({ length: CALLERS }, async () => {
      while (performance.now() < endMs) await this.#call();
    });
    await Promise.all([this.#useApi(endMs), ...callers]);
    const deadlineMs = performance.now() + WEBHOOK_DEADLINE_MS;
    while (this.#hungUpAtMs.size > 0 && performance.now() < deadlineMs) await sleep(50);
    if (this.#hungUpAtMs.size > 0) this.#failures.push(`${this.#hungUpAtMs.size} webhooks are missing`);
    return {
      apiRequests: this.#apiMs.length,
      apiFailures: this.#apiFailures,
      apiP50Ms: rounded(percentile(this.#apiMs, 0.5)),
      apiP99Ms: rounded(percentile(this.#apiMs, 0.99)),
      calls: this.#calls,
      callFailures: this.#callFailures,
      greetingP50Ms: rounded(percentile(this.#greetingMs, 0.5), 0),
      greetingMaxMs: rounded(percentile(this.#greetingMs, 1), 0),
      answerP50Ms: rounded(percentile(this.#answerMs, 0.5), 0),
      answerMaxMs: rounded(percentile(this.#answerMs, 1), 0),
      gapMaxMs: rounded(percentile(this.#gapMs, 1), 0),
      webhooks: this.#webhookMs.length,
      webhookMaxMs: rounded(percentile(this.#webhookMs, 1), 0),
      failures: this.#failures.slice(0, 5),
    };
  }

  /** Sends requests at a steady rate, whether or not earlier ones are answered. */
  async #useApi(endMs: number): Promise<void> {
    const paths = [`/agents/${this.#target.agentId}`, "/calls?pageSize=20", "/organization", "patch"];
    const pending: Promise<void>[] = [];
    for (let index = 0; performance.now() < endMs; index++) {
      pending.push(this.#request(paths[index % paths.length] ?? "", index));
      await sleep(REQUEST_INTERVAL_MS);
    }
    await Promise.all(pending);
  }

  async #request(path: string, index: number): Promise<void> {
    const { url, apiKey, agentId } = this.#target;
    const isPatch = path === "patch";
    const startMs = performance.now();
    const body = JSON.stringify({ firstMessage: `Hello ${index}.` });
    try {
      const response = await fetch(`${url}/v1${isPatch ? `/agents/${agentId}` : path}`, {
        headers: { "x-api-key": apiKey, ...(isPatch && { "content-type": "application/json" }) },
        ...(isPatch && { method: "PATCH", body }),
      });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
    } catch (error) {
      this.#apiFailures += 1;
      this.#failures.push(String(error));
    }
    this.#apiMs.push(performance.now() - startMs);
  }

  /** Calls, hears the greeting, asks, hears the answer and hangs up. */
  async #call(): Promise<void> {
    const { sipPort, number } = this.#target;
    Victim.#lastCaller += 1;
    const from = `+1555${String(3_000_000 + Victim.#lastCaller)}`;
    this.#calls += 1;
    const startMs = performance.now();
    let caller: TestCaller | undefined;
    try {
      caller = await TestCaller.call({ sipPort, number, from });
      await caller.agentToSpeak({ deadlineMs: CALL_DEADLINE_MS });
      this.#greetingMs.push(firstSpeechMs(caller, startMs) - startMs);
      await caller.agentToFinish({ deadlineMs: CALL_DEADLINE_MS });
      await caller.say(await readRecording("go-forward.wav"));
      const saidMs = performance.now();
      await caller.agentToSpeak({ sinceMs: saidMs, deadlineMs: CALL_DEADLINE_MS });
      this.#answerMs.push(firstSpeechMs(caller, saidMs) - saidMs);
      await caller.agentToFinish({ sinceMs: saidMs, deadlineMs: CALL_DEADLINE_MS });
      const { heard } = caller;
      this.#gapMs.push(...heard.slice(1).map(({ atMs }, index) => atMs - (heard[index]?.atMs ?? atMs)));
      this.#hungUpAtMs.set(from, performance.now());
      await caller.hangUp();
    } catch (error) {
      this.#callFailures += 1;
      this.#failures.push(String(error));
      await sleep(200);
    } finally {
      await caller?.close();
    }
  }
}

function firstSpeechMs({ heard }: TestCaller, sinceMs: number): number {
  return heard.find(({ isSpeech, atMs }) => isSpeech && atMs > sinceMs)?.atMs ?? Number.NaN;
}
