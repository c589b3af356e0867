import { setTimeout as sleep } from "node:timers/promises";
import type { CallDetail } from "@parley/contract";
import { Resampler } from "@parley/audio";
import { endedCall, findCall } from "../../support/platform/agents.ts";
import { BrowserCaller, endedTestCall, startTestCall } from "../../support/web/browser-caller.ts";
import { Chromium } from "../../support/web/chromium.ts";
import { readRecording } from "../../support/audio/recordings.ts";
import { TestCaller } from "../../support/phone/test-caller.ts";
import { ANSWER, type FuzzedNode } from "./fuzzed-node.ts";

const PAUSE_BETWEEN_QUESTIONS_MS = 6_000;
/** Period of the browser's microphone, from one question to the next. */
const MICROPHONE_PERIOD_SECONDS = 15;
const MICROPHONE_RATE_HZ = 48_000;
/** Limit of gaps between packets, generous for a busy machine. A longer gap is an interruption. */
const MAX_SILENCE_MS = 5_000;

/** A call that is not attacked: it must not be disturbed. */
interface Bystander {
  name: string;
  /** Resolves with a description of a present fault, if there is one. */
  check: () => Promise<string | undefined>;
  /** Hangs up. Resolves with the call's record. */
  finish: () => Promise<CallDetail>;
  questions: () => number;
}

/** Calls by phone (plain and encrypted) and by a browser that ask a question from time to time. */
export class Bystanders {
  readonly phones: readonly TestCaller[];
  readonly #all: readonly Bystander[];
  readonly #close: () => Promise<void>;

  static async call(node: FuzzedNode, seconds: number): Promise<Bystanders> {
    const question = await readRecording("go-forward.wav");
    const phones: PhoneBystander[] = [];
    for (const isEncrypted of [false, true])
      phones.push(await PhoneBystander.call(node, question, isEncrypted));
    const web = await WebBystander.call(node, question, seconds);
    return new Bystanders(phones, web);
  }

  private constructor(phones: readonly PhoneBystander[], web: WebBystander) {
    this.phones = phones.map(({ caller }) => caller);
    this.#all = [...phones, web];
    this.#close = async () => {
      for (const each of [...phones, web]) await each.close();
    };
  }

  get count(): number {
    return this.#all.length;
  }

  /** Returns a fault of one of them; `undefined` if all go on. */
  async findChange(): Promise<string | undefined> {
    for (const each of this.#all) {
      const problem = await each.check();
      if (problem !== undefined) return `${each.name}: ${problem}`;
    }
    return undefined;
  }

  /** Hangs up. Returns the faults in their records. */
  async finish(): Promise<string[]> {
    const problems: string[] = [];
    for (const each of this.#all)
      problems.push(
        ...recordProblems(await each.finish(), each.questions()).map((it) => `${each.name}: ${it}`),
      );
    return problems;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#close();
  }
}

function recordProblems(call: CallDetail, questions: number): string[] {
  // The scripted recognizer returns one question for each stretch of speech; of a second one it may receive
  // only the rest.
  const heard = call.transcript.filter(({ role, text }) => role === "user" && text !== "").length;
  const answered = call.transcript.filter(({ role, text }) => role === "agent" && text === ANSWER).length;
  const problems: string[] = [];
  if (call.status !== "completed" || call.endReason !== "user_hangup")
    problems.push(`the record says ${call.status}, ${call.endReason} ${call.endDetail ?? ""}`);
  if (questions === 0) problems.push("no question was answered");
  if (heard < questions || answered < questions)
    problems.push(`the record lacks some of ${questions} questions and answers: ${spokenText(call)}`);
  return problems;
}

function spokenText({ transcript }: CallDetail): string {
  return transcript.map(({ role, text }) => `${role}: ${text}`).join(" / ");
}

class PhoneBystander implements Bystander {
  readonly name: string;
  readonly caller: TestCaller;
  readonly #from: string;
  readonly #node: FuzzedNode;
  readonly #talk: Promise<void>;
  #isFinishing = false;
  #questions = 0;
  #problem: string | undefined;

  static async call(node: FuzzedNode, question: Int16Array, isEncrypted: boolean): Promise<PhoneBystander> {
    const from = isEncrypted ? "+15550130002" : "+15550130001";
    const { number } = node.agents.bystander;
    const caller = await TestCaller.call({ sipPort: node.platform.sipPort, number, from, isEncrypted });
    return new PhoneBystander(node, caller, from, question, isEncrypted ? "SRTP" : "RTP");
  }

  private constructor(
    node: FuzzedNode,
    caller: TestCaller,
    from: string,
    question: Int16Array,
    transport: string,
  ) {
    this.name = `bystander by phone (${transport})`;
    this.#node = node;
    this.caller = caller;
    this.#from = from;
    this.#talk = this.#keepTalking(question).catch((error: unknown) => {
      this.#problem ??= String(error);
    });
  }

  questions(): number {
    return this.#questions;
  }

  async check(): Promise<string | undefined> {
    const silentMs = performance.now() - (this.caller.heard.at(-1)?.atMs ?? 0);
    if (silentMs > MAX_SILENCE_MS) this.#problem ??= `no packet for ${Math.round(silentMs)} ms`;
    if (!this.caller.session.isEnded) return this.#problem;
    const record = await findCall(this.#node.platform, this.#from);
    return `the call ended: ${record?.endReason} ${record?.endDetail ?? ""}`;
  }

  async finish(): Promise<CallDetail> {
    this.#isFinishing = true;
    await this.#talk;
    await this.caller.hangUp();
    return await endedCall(this.#node.platform, this.#from);
  }

  async close(): Promise<void> {
    this.#isFinishing = true;
    await this.caller.close();
  }

  async #keepTalking(question: Int16Array): Promise<void> {
    await this.caller.agentToFinish();
    while (!this.#isFinishing) {
      const sinceMs = performance.now();
      await this.caller.say(question);
      await this.caller.agentToFinish({ sinceMs });
      this.#questions++;
      await sleep(PAUSE_BETWEEN_QUESTIONS_MS);
    }
  }
}

class WebBystander implements Bystander {
  readonly name = "bystander by browser";
  readonly #node: FuzzedNode;
  readonly #chromium: Chromium;
  readonly #caller: BrowserCaller;
  readonly #callId: string;
  #answers = 0;

  static async call(node: FuzzedNode, question: Int16Array, seconds: number): Promise<WebBystander> {
    const chromium = await Chromium.launch({ microphone: microphoneOf(question, seconds) });
    const call = await startTestCall(node.platform, node.agents.bystander.agentId);
    const caller = await BrowserCaller.open(chromium, node.platform);
    const status = await caller.join(call);
    if (status !== 201) throw new Error(`the browser was not let into its call: ${status}`);
    return new WebBystander(node, chromium, caller, call.callId);
  }

  private constructor(node: FuzzedNode, chromium: Chromium, caller: BrowserCaller, callId: string) {
    this.#node = node;
    this.#chromium = chromium;
    this.#caller = caller;
    this.#callId = callId;
  }

  questions(): number {
    return this.#answers;
  }

  async check(): Promise<string | undefined> {
    const state = await this.#caller.connectionState();
    // The first check may precede the connection.
    return ["connected", "connecting", "new"].includes(state) ? undefined : `its connection is ${state}`;
  }

  async finish(): Promise<CallDetail> {
    const events = await this.#caller.events();
    const items = events.flatMap((event) => (event.type === "item" ? [event.item] : []));
    this.#answers = items.filter(({ role, text }) => role === "agent" && text === ANSWER).length;
    await this.#caller.hangUp();
    return await endedTestCall(this.#node.platform, this.#callId);
  }

  async close(): Promise<void> {
    await this.#chromium.close();
  }
}

/** The question, repeated. */
function microphoneOf(question: Int16Array, seconds: number): Int16Array {
  const speech = new Resampler(8000, MICROPHONE_RATE_HZ).process(question);
  const period = MICROPHONE_PERIOD_SECONDS * MICROPHONE_RATE_HZ;
  const times = Math.ceil(seconds / MICROPHONE_PERIOD_SECONDS);
  const microphone = new Int16Array(times * period);
  // The greeting comes first.
  for (let time = 0; time < times; time++) microphone.set(speech, Math.round((time + 0.4) * period));
  return microphone;
}
