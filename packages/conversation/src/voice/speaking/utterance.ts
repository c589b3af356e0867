import type { Dialogue, Reply } from "../../dialogue/dialogue.ts";
import type { TranscriptEntry, TranscriptItem } from "../../transcript.ts";
import { beginningOfFlow, greetingGuidance, SPEAK_NOW } from "../../dialogue/prompt.ts";
import type { AgentVoice, SpeechStyle } from "./agent-voice.ts";
import { Synthesis, type SpeechOutcome } from "./synthesis.ts";
import { textsOf } from "./speech-texts.ts";
import { toFault } from "../provider-fault.ts";
import type { VoiceSpeeds } from "./voice-speeds.ts";
import { SpeechTranscript } from "./speech-transcript.ts";
import type { CallerTurn, FixedPhrase, SpeechContent } from "../turns/turn-state.ts";
import type { TurnLatency, VoiceAgentSettings, VoiceEvent } from "../voice-event.ts";

const FRAME_MS = 20;
/**
 * Audio buffered before the greeting and before the message for a mailbox, so that they play without a gap even if synthesis is
 * slow.
 */
const GREETING_LEAD_MS = 1_000;
const NEARBY_CHARACTERS = 24;
const REMINDER_GUIDANCE =
  "The other side has said nothing for a while. Ask in one short sentence whether they are still there, or repeat " +
  "your question in other words.";

export interface UtteranceOptions {
  content: SpeechContent | { type: "preview"; text: string };
  agent: VoiceAgentSettings;
  dialogue: Dialogue;
  voices: readonly AgentVoice[];
  style: SpeechStyle;
  /** The recorded audio of a fixed text, if any. */
  findRecording: (text: string) => Int16Array | undefined;
  /** Milliseconds of caller audio heard. */
  mediaMs: () => number;
  /** Monotonic milliseconds, for latency figures. */
  now: () => number;
  /** Converts media time to the clock of `now`. */
  toClockMs: (mediaMs: number) => number;
  speeds: VoiceSpeeds;
  onEvent: (event: VoiceEvent) => void;
  /** The voice at this index speaks from now on. */
  onVoice: (index: number) => void;
}

/**
 * One utterance of the agent: plays it, reports when it is heard, and at its end enters what was heard into the
 * transcript and the dialogue's history.
 */
export class Utterance {
  readonly #options: UtteranceOptions;
  readonly #synthesis: Synthesis;
  readonly #transcript = new SpeechTranscript();
  readonly #reply: Reply | undefined;
  #content: UtteranceOptions["content"];
  #beganAtMs: number;
  #beganAt: number;
  #isAudible = false;
  /** Time for which audio was ready and something else kept it from being heard. */
  #withheldMs = 0;

  constructor(options: UtteranceOptions) {
    const { content, agent, dialogue, voices, style, now, onEvent, onVoice } = options;
    this.#options = options;
    this.#content = content;
    this.#beganAtMs = options.mediaMs();
    this.#beganAt = now();
    const controller = new AbortController();
    this.#reply = replyTo(content, agent, dialogue, controller);
    const source = this.#reply ?? fixedText(content, agent);
    this.#synthesis = new Synthesis({
      voices,
      style,
      source,
      ...((content.type === "greeting" || content.type === "voicemail") && { leadMs: GREETING_LEAD_MS }),
      ...(content.type === "phrase" && { recording: options.findRecording(fixedText(content, agent)) }),
      controller,
      now,
      speeds: options.speeds,
      onVoice,
      onMessage: (segment) => this.#transcript.addMessage(segment),
      onStep: (part) => {
        // A step of the flow counts only when the text before it was heard.
        if (part.type === "flow") return this.#transcript.addEntry(part.entry, options.mediaMs());
        const { toolCallId, toolName } = part;
        const entry: TranscriptEntry =
          part.type === "toolCall"
            ? { type: "tool_call", toolCallId, toolName, text: part.input }
            : { type: "tool_result", toolCallId, toolName, text: part.output, isError: part.isError };
        this.#transcript.addEntry(entry, options.mediaMs());
        this.#emitItems(false);
      },
      onFault: (part, error, takenOverBy) => onEvent(toFault(part, error, takenOverBy)),
    });
  }

  /**
   * Resolves when the first audio is available (of a greeting one second or all of it), or when none is to be expected:
   * a tool waits until the prepared reply is confirmed.
   */
  get ready(): Promise<void> {
    return this.#synthesis.ready;
  }

  /** Whether some of it was handed out. */
  get isAudible(): boolean {
    return this.#isAudible;
  }

  /** How it ended; `undefined` until all of it was handed out. */
  get outcome(): SpeechOutcome | undefined {
    return this.#synthesis.outcome;
  }

  /** Whether the caller expects it. Only an expected utterance is bridged by filler phrases. */
  get isAnswer(): boolean {
    const content = this.#content;
    if (content.type === "instruction") return content.turn !== undefined;
    return content.type === "reply" || content.type === "preview";
  }

  /** Whether only the voice is late: more text is known and its audio is on the way. */
  get isAwaitingVoice(): boolean {
    return this.#synthesis.playout.isOwedAudio;
  }

  /** Whether all its text so far was handed out, and it waits for a tool result. */
  get hasPausedForTool(): boolean {
    const { isAwaitingTool, playout } = this.#synthesis;
    return isAwaitingTool && !playout.isOwedAudio && playout.bufferedMs === 0;
  }

  /** Whether it waits for a tool result. */
  get isAwaitingTool(): boolean {
    return this.#synthesis.isAwaitingTool;
  }

  /**
   * The current message up to about the current position, plus the next few words, because the position is an estimate.
   */
  get textNearby(): string {
    const { playout } = this.#synthesis;
    const current = playout.heard().findLast(({ text }) => text !== "");
    if (current === undefined) return "";
    return playout.segmentText(current.segment).slice(0, current.text.length + NEARBY_CHARACTERS);
  }

  /** Turns a prepared reply into the actual one. Its input is in the history by now. */
  confirm(content: SpeechContent): void {
    this.#content = content;
    const { mediaMs, toClockMs } = this.#options;
    const turn = content.type === "reply" ? content.turn : undefined;
    // The latency counts from the decision, not from the confirmation that waited for this audio. A decision is made at
    // the tick in which its silence was complete.
    const decidedAtMs = toTick(Math.min(mediaMs(), turn?.decidedAtMs ?? Infinity));
    // The media clock advances only per tick: a preparation started by the decision began with it.
    const preparedAt = this.#beganAt - Math.max(0, this.#beganAtMs - decidedAtMs);
    this.#beganAt = Math.max(toClockMs(decidedAtMs), preparedAt);
    this.#beganAtMs = decidedAtMs;
    this.#reply?.confirm();
  }

  /** Called once per tick of the media clock. */
  tick(atMs: number): void {
    this.#synthesis.tick(atMs);
  }

  /** The next 20 ms, valid until the next call; `undefined` if there is none. */
  nextFrame(): Int16Array | undefined {
    const { playout } = this.#synthesis;
    const segment = playout.playingSegment;
    const frame = playout.nextFrame();
    // Emits the tool calls that follow the words spoken so far.
    if (this.#transcript.hasSeveral) this.#emitItems(false);
    if (frame === undefined || segment === undefined) return undefined;
    const atMs = this.#options.mediaMs();
    const begunId = this.#transcript.markFrame(segment, atMs, atMs + FRAME_MS);
    if (begunId !== undefined) {
      const text = playout.segmentText(segment);
      this.#options.onEvent({ type: "itemStarted", id: begunId, role: "agent", text, startMs: atMs });
    }
    if (!this.#isAudible) {
      this.#isAudible = true;
      this.#reportLatency();
    }
    return frame;
  }

  /** Notes that nothing is handed out for a while: a filler phrase plays, or the caller may be interrupting. */
  withhold(durationMs: number): void {
    if (!this.#isAudible && this.#synthesis.playout.playableMs > 0) this.#withheldMs += durationMs;
  }

  /** Drops everything after the current sentence. */
  finishSentence(): void {
    this.#synthesis.finishSentence();
  }

  /** Marks the last `durationMs` as unheard. */
  unplay(durationMs: number): void {
    this.#synthesis.playout.unplay(durationMs);
  }

  /**
   * Ends it and enters what was heard. Returns a last fading frame if it was cut off while audible.
   *
   * @param isInterruption Whether the caller cut it off.
   */
  settle(isInterruption = false): Int16Array | undefined {
    const { playout } = this.#synthesis;
    const fading = this.#isAudible ? playout.fadeOut() : undefined;
    this.#synthesis.close();
    const { dialogue } = this.#options;
    if (this.#reply === undefined) {
      for (const item of this.#emitItems(true, isInterruption)) dialogue.record(item);
      return fading;
    }
    const delivered: string[] = [];
    for (const { segment, text } of playout.heard()) delivered[segment] = text;
    const steps = dialogue.settle(this.#reply.id, delivered);
    this.#transcript.keepSteps(steps);
    this.#emitItems(true, isInterruption);
    return fading;
  }

  /** Drops it without a trace. Idempotent. */
  close(): void {
    this.#synthesis.close();
  }

  #emitItems(isOver: boolean, isInterruption = false): TranscriptItem[] {
    const items = this.#transcript.take(this.#synthesis.playout.heard(), isOver, isInterruption);
    const knowledge = this.#reply?.knowledge ?? [];
    for (const item of items) {
      if (item.type === "message" && knowledge.length > 0) item.knowledge = [...knowledge];
      this.#options.onEvent({ type: "item", item });
    }
    return items;
  }

  #reportLatency(): void {
    const { now, onEvent } = this.#options;
    const content = this.#content;
    if ((content.type !== "reply" && content.type !== "instruction") || content.turn === undefined) return;
    onEvent({ type: "turn", latency: this.#measure(content.turn, now()) });
  }

  #measure(turn: CallerTurn, heardAt: number): TurnLatency {
    // Work done before the decision did not delay the answer.
    const since = (mark: number | undefined): number => Math.max(mark ?? heardAt, this.#beganAt);
    const { marks } = this.#synthesis;
    const firstTextMs = since(marks.firstTextMs);
    const firstClauseMs = since(marks.firstClauseMs);
    const firstAudioMs = since(marks.firstAudioMs);
    const decisionMs = this.#beganAtMs - turn.endMs;
    const startWaitMs = Math.max(0, this.#beganAtMs - toTick(turn.decidedAtMs));
    const toolMsBeforeText = this.#synthesis.toolMsBetween(this.#beganAt, firstTextMs);
    const toolMsBeforeClause = this.#synthesis.toolMsBetween(firstTextMs, firstClauseMs);
    return {
      endpointingMs: turn.endpointingMs,
      sttMs: turn.sttMs,
      textWaitMs: Math.max(0, turn.decidedAtMs - turn.endMs - turn.endpointingMs),
      decisionMs,
      toolMs: toolMsBeforeText + toolMsBeforeClause,
      llmFirstTokenMs: firstTextMs - this.#beganAt - toolMsBeforeText,
      clauseMs: firstClauseMs - firstTextMs - toolMsBeforeClause,
      ttsFirstByteMs: firstAudioMs - firstClauseMs,
      waitMs: startWaitMs + Math.min(this.#withheldMs, heardAt - firstAudioMs),
      totalMs: decisionMs + heardAt - this.#beganAt,
    };
  }
}

/** The tick of the media clock at or after a time. */
function toTick(mediaMs: number): number {
  return Math.ceil(mediaMs / FRAME_MS) * FRAME_MS;
}

/** Requests the reply from the model; `undefined` for a fixed text. */
function replyTo(
  content: UtteranceOptions["content"],
  agent: VoiceAgentSettings,
  dialogue: Dialogue,
  controller: AbortController,
): Reply | undefined {
  switch (content.type) {
    case "phrase":
    case "voicemail":
      return undefined;
    case "greeting":
      if (dialogue.hasFlow) return dialogue.respond(beginningOfFlow(agent), controller);
      if (agent.firstMessageMode !== "generated") return undefined;
      return dialogue.respond(
        { type: "continue", guidance: greetingGuidance(agent.firstMessage) },
        controller,
      );
    case "reminder":
      if (agent.phrases?.reminder !== undefined && !dialogue.takesSilence) return undefined;
      return dialogue.respond({ type: "silence", guidance: REMINDER_GUIDANCE }, controller);
    case "preview":
      return dialogue.respond(content, controller);
    case "instruction":
      return dialogue.respond({ type: "continue", guidance: guidanceToSpeak(content) }, controller);
    case "reply":
      return dialogue.respond({ type: "continue" }, controller);
  }
}

function guidanceToSpeak({ text, turn }: SpeechContent & { type: "instruction" }): string {
  return `${turn === undefined ? "" : "Answer what was said last, briefly. "}${SPEAK_NOW}${text}`;
}

function fixedText(content: UtteranceOptions["content"], agent: VoiceAgentSettings): string {
  if (content.type === "phrase") return phraseText(content.phrase, agent);
  if (content.type === "reminder") return textsOf(agent).reminder;
  return content.type === "voicemail" ? (agent.voicemail?.message ?? "") : agent.firstMessage;
}

/** The text of a phrase: the agent's own one, or the standard one of its language. */
export function phraseText(phrase: FixedPhrase, agent: VoiceAgentSettings): string {
  return textsOf(agent)[phrase];
}
