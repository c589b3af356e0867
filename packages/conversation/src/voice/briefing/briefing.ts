import { Dialogue } from "../../dialogue/dialogue.ts";
import { systemTimers, type Timers } from "../../timers.ts";
import type { TranscriptItem } from "../../transcript.ts";
import { VoiceConversation, type VoiceConversationOptions } from "../voice-conversation.ts";
import type { ProviderFault, VoiceAgentSettings, VoiceEndReason, VoiceEvent } from "../voice-event.ts";
import { readDecision } from "./briefing-decision.ts";
import { createBriefingModel } from "./briefing-model.ts";
import { briefingTexts } from "./briefing-texts.ts";
import { SUMMARY_DEADLINE_MS } from "./call-summary.ts";

/** Whether a person takes a call that is to be transferred to them. */
export type BriefingOutcome =
  | { isAccepted: true }
  | {
      isAccepted: false;
      failure: "refused" | "voicemail" | "no answer" | "unreachable" | "hung up";
      detail: string;
    };

export interface BriefingOptions extends Pick<
  VoiceConversationOptions,
  | "sampleRateHz"
  | "stt"
  | "tts"
  | "fallbackVoices"
  | "speeds"
  | "vad"
  | "noiseSuppressor"
  | "turnEnd"
  | "answerJudge"
  | "now"
> {
  /** Settings of the agent that transfers the call. */
  agent: VoiceAgentSettings;
  /** What the person is told of the call; empty: nothing. */
  summary: Promise<string>;
  /** Receives each step, for the transcript. */
  onStep: (text: string) => void;
  onFault: (fault: ProviderFault) => void;
  timers?: Timers;
}

/** Silence after which the question is asked once more, and after that the call counts as refused. */
const SILENCE_SECONDS = 6;
/** Longest briefing, for a person who answers with something else. */
const MAX_BRIEFING_SECONDS = 120;
const NEVER_SECONDS = 3_600;
const MAX_STEP_CHARACTERS = 1_000;
/** The summary, and the question once more. */
const MAX_UNANSWERED = 2;
const SILENT: BriefingOutcome = { isAccepted: false, failure: "refused", detail: "the person did not say" };

/** `unanswered`: speeches of ours since the last word of a person. */
type Phase =
  /** It is not known yet whether a person has answered. */
  | { name: "answered"; unanswered: number }
  /** A person is there. */
  | { name: "talking"; unanswered: number }
  | { name: "over" };

/**
 * The talk with a person to whom a call is to be transferred: finds out whether a person has answered, says what the call is
 * about, and asks whether they take it. Its owner calls it as it calls a `VoiceConversation`.
 */
export class Briefing {
  readonly #options: BriefingOptions;
  readonly #conversation: VoiceConversation;
  readonly #outcome = Promise.withResolvers<BriefingOutcome>();
  #phase: Phase = { name: "answered", unanswered: 0 };
  #heardMs = 0;
  #waitForHumanMs = Infinity;
  /** Media time at which the person could first hear us. */
  #spokeAtMs = Infinity;

  constructor(options: BriefingOptions) {
    const { agent, summary, timers = systemTimers } = options;
    const { opening, question } = briefingTexts(agent.language);
    this.#options = options;
    const text = summary.then((words) => [opening, words, question].filter(Boolean).join(" "));
    this.#conversation = new VoiceConversation({
      ...options,
      agent: toBriefingAgent(agent, question),
      dialogue: new Dialogue({
        model: createBriefingModel(text),
        instructions: "",
        // The voice waits for the summary.
        deadlines: { firstTokenMs: 2 * SUMMARY_DEADLINE_MS },
        timers,
      }),
      onEvent: (event) => this.#receive(event),
    });
  }

  /** Resolves once it is known whether the person takes the call. Never rejects. */
  get outcome(): Promise<BriefingOutcome> {
    return this.#outcome.promise;
  }

  /** Prepares what is said first, while the telephone rings. */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.#conversation.prepare(signal);
  }

  /** Limits the time from the first audio to the first word or key of a person. */
  waitForHuman(maxMs: number): void {
    this.#waitForHumanMs = maxMs;
  }

  /** Begins: the person's side has answered, and media flows. */
  start(): void {
    this.#conversation.start();
  }

  hear(pcm: Int16Array): void {
    this.#heardMs += (pcm.length * 1000) / this.#options.sampleRateHz;
    this.#conversation.hear(pcm);
    if (this.#phase.name !== "answered" || this.#heardMs < this.#waitForHumanMs) return;
    const detail = `no person within ${this.#waitForHumanMs / 1000} s of the answer`;
    this.#end({ isAccepted: false, failure: "no answer", detail });
  }

  nextFrame(): Int16Array | undefined {
    return this.#conversation.nextFrame();
  }

  /** Takes time without audio, such as a hold by the person. It counts toward the longest briefing. */
  standStill(durationMs: number): void {
    this.#conversation.standStill(durationMs);
  }

  loseAudio(lostMs: number): void {
    this.#conversation.loseAudio(lostMs);
  }

  /** Keys pressed to the person's side before the briefing are not part of it. */
  noteSentKeys(): void {}

  /** Takes a key: 1 accepts, 2 refuses, and others are answered with the question. */
  dtmf(digit: string): void {
    if (digit === "1") return this.#accept("by pressing 1");
    if (digit === "2") return this.#refuse("by pressing 2");
    this.#noteHuman();
    this.#conversation.dtmf(digit);
  }

  /** Ends it without a decision. Idempotent. */
  close(): void {
    this.#end({ isAccepted: false, failure: "hung up", detail: "the briefing ended" });
    // A conversation that has not begun has no end.
    this.#conversation.close();
  }

  #receive(event: VoiceEvent): void {
    switch (event.type) {
      case "answeredBy":
        if (event.by === "human") this.#noteHuman();
        return;
      case "itemStarted":
        return this.#noteSpeech(event.startMs);
      case "item":
        return this.#takeItem(event.item);
      case "fault":
        return this.#options.onFault(event);
      case "ended":
        return this.#end(toOutcome(event.endReason, event.endDetail));
      case "turn":
      case "state":
      case "audioLost":
        return;
    }
  }

  #noteHuman(): void {
    if (this.#phase.name !== "over") this.#phase = { name: "talking", unanswered: 0 };
  }

  /** A speech of ours begins to be heard. */
  #noteSpeech(atMs: number): void {
    this.#spokeAtMs = Math.min(this.#spokeAtMs, atMs);
    if (this.#phase.name === "over") return;
    const unanswered = this.#phase.unanswered + 1;
    this.#phase = { ...this.#phase, unanswered };
    if (unanswered > MAX_UNANSWERED) this.#end(SILENT);
  }

  #takeItem(item: TranscriptItem): void {
    if (item.type !== "message") return;
    if (item.role === "agent") return this.#options.onStep(`The person heard: ${quoted(item.text)}`);
    this.#noteHuman();
    // A person who answers the telephone with “Yes?” has not heard the question.
    const decision =
      item.endMs > this.#spokeAtMs ? readDecision(item.text, this.#options.agent.language) : undefined;
    if (decision === "accept") this.#accept(`with ${quoted(item.text)}`);
    else if (decision === "refuse") this.#refuse(`with ${quoted(item.text)}`);
    else this.#options.onStep(`The person said: ${quoted(item.text)}`);
  }

  #accept(how: string): void {
    if (this.#phase.name === "over") return;
    this.#end({ isAccepted: true });
    this.#options.onStep(`The person accepted ${how}.`);
  }

  #refuse(how: string): void {
    this.#end({ isAccepted: false, failure: "refused", detail: how });
  }

  #end(outcome: BriefingOutcome): void {
    if (this.#phase.name === "over") return;
    this.#phase = { name: "over" };
    // Enters what the person has heard so far, and releases everything.
    this.#conversation.end("transferred");
    this.#outcome.resolve(outcome);
  }
}

function quoted(text: string): string {
  return `“${text.slice(0, MAX_STEP_CHARACTERS)}”`;
}

/** The settings of the agent as far as its voice and its patience are concerned. */
function toBriefingAgent(agent: VoiceAgentSettings, question: string): VoiceAgentSettings {
  return {
    ...agent,
    firstMessage: "",
    firstMessageMode: "generated",
    firstMessageDelayMs: 0,
    startSpeaker: "agent",
    turnTimeoutSeconds: SILENCE_SECONDS,
    silenceEndCallTimeoutSeconds: NEVER_SECONDS,
    maxConversationDurationSeconds: MAX_BRIEFING_SECONDS,
    disableInterruptions: false,
    // A “yes” during the summary counts.
    interruptionIgnoreWords: [],
    ignoresBackchannels: false,
    minInterruptionWords: 0,
    phrases: { ...agent.phrases, reminder: question },
    voicemail: { message: "" },
  };
}

function toOutcome(reason: VoiceEndReason, endDetail: string | undefined): BriefingOutcome {
  if (reason === "voicemail")
    return { isAccepted: false, failure: "voicemail", detail: endDetail ?? "a mailbox answered" };
  if (reason === "max_duration")
    return { isAccepted: false, failure: "refused", detail: `no decision in ${MAX_BRIEFING_SECONDS} s` };
  const detail = `the person could not be told: ${endDetail ?? reason}`;
  return { isAccepted: false, failure: "unreachable", detail };
}
