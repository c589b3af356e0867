import type { Tone } from "@parley/audio";
import { type AnswerCues, findAnswerCues } from "./answer-words.ts";

/** Who or what answered an outbound call. */
export type AnsweredBy =
  | "human"
  /** A mailbox or an answering machine. */
  | "machine"
  /** An automatic system that asks for a name or a key; a person may follow. */
  | "screening"
  | "fax"
  /** No word has been said. */
  | "silence";

/** What a language model says about the first words; `undefined` if it does not know. */
export type AnswerOpinion = "human" | "machine" | undefined;

export type AnswerEvent =
  /** A window of the callee's sound was analyzed; `endMs` may be before `atMs`. */
  | { type: "window"; atMs: number; endMs: number; isVoiced: boolean }
  /** The words so far; `isWhole` if all that was said before the current pause is in them. */
  | { type: "words"; atMs: number; text: string; isWhole: boolean }
  | ({ type: "tone"; atMs: number } & Tone)
  /** Answer to `ask`. */
  | { type: "opinion"; atMs: number; by: AnswerOpinion };

export type AnswerEffect =
  /** Requests the words so far. */
  | { type: "requestWords" }
  /** Asks the language model. */
  | { type: "ask"; text: string }
  /** The second one corrects the first: a recording after a person or silence. */
  | { type: "decided"; by: AnsweredBy }
  /** The first words have ended, and it was no mailbox that said them: the agent may speak. */
  | { type: "released" };

export interface AnswerRules {
  /** BCP 47. */
  language: string;
  /** Whether a language model can be asked. */
  hasModel: boolean;
}

export interface AnswerState {
  readonly rules: AnswerRules;
  /** Media time of the answer. */
  readonly startMs: number;
  readonly decided: AnsweredBy | undefined;
  /** Whether the agent still waits for the end of the first words. */
  readonly isAwaited: boolean;
  /** First to last voiced window; pauses included. */
  readonly speech: { readonly startMs: number; readonly lastVoiceMs: number } | undefined;
  readonly isVoiced: boolean;
  readonly text: string;
  readonly cues: AnswerCues;
  /** Whether the text holds all that was said before the current pause. */
  readonly isTextWhole: boolean;
  /** Last request for words, or their arrival. */
  readonly wordsAtMs: number;
  readonly requests: number;
  /** Question to the language model. */
  readonly asked:
    | { readonly atMs: number; readonly isAnswered: boolean; readonly by: AnswerOpinion }
    | undefined;
  /** The last beep. */
  readonly beep: { readonly atMs: number; readonly isAfterSpeech: boolean } | undefined;
  /** A fax machine's tone was heard. */
  readonly isFax: boolean;
}

export interface AnswerStep {
  state: AnswerState;
  effects: readonly AnswerEffect[];
}

/** Silence after the answer from which the call goes on as with a person. */
const SILENT_ANSWER_MS = 2_300;
/** Length of a person's hello. Longer speech is judged by its words. */
const HELLO_MS = 1_700;
/** Pause after which a hello has ended. Recordings pause as long after "Hello" only seldom. */
const HELLO_PAUSE_MS = 320;
/** The same after a short answer that is no usual hello, such as a name: more may follow. */
const NAME_PAUSE_MS = 420;
/** The same after more words of a person. */
const SENTENCE_PAUSE_MS = 380;
/** Pause after which words without a cue count as a person's, who waits for an answer. */
const UNCLEAR_PAUSE_MS = 480;
/** The same after an opening that more words may follow. */
const OPENING_PAUSE_MS = 550;
/** Pause after which a short answer counts as a person's although its words are not known yet. */
const UNREAD_PAUSE_MS = 800;
/** Speech after which doubtful words of a recording count. */
const DOUBTFUL_SPEECH_MS = 1_500;
/** Speech after which it counts as a recording if its words have no cue: people who explain themselves take up to five seconds. */
const LONG_SPEECH_MS = 5_200;
/** Fewer words are not long speech: the rest was noise. */
const MIN_LONG_WORDS = 5;
/** Speech after which it counts as a recording although it has a person's words. */
const ENDLESS_SPEECH_MS = 6_500;
/** Speech after which its words are requested for the first time, and the interval of further requests. */
const FIRST_WORDS_MS = 800;
const WORDS_INTERVAL_MS = 240;
const MAX_REQUESTS = 12;
/** Time that the language model has. */
const OPINION_DEADLINE_MS = 900;
/** Time after the answer during which a recording is still noticed after a person or silence. */
const WATCH_MS = 20_000;
/** Silence after a beep without a word before it that makes it a mailbox's. */
const BARE_BEEP_SILENCE_MS = 1_000;
/** Frequencies below this one are those of ringing and busy tones, unless words came before them. */
const MIN_BARE_BEEP_HZ = 500;
/** ITU-T T.30: the answering tone of a fax machine, and the calling tone, which comes before any word. */
const FAX_ANSWER_HZ = 2_100;
const FAX_CALL_HZ = 1_100;
const FAX_TOLERANCE_HZ = 30;
const FAX_TONE_MS = 320;
/** A shorter tone within speech is a part of a word. */
const MIN_TONE_IN_SPEECH_MS = 320;

const NO_CUES: AnswerCues = {
  isRecording: false,
  mayBeRecording: false,
  isOpening: false,
  isPerson: false,
  isAddress: false,
  isScreening: false,
  isMenu: false,
};

export function initialAnswerState(rules: AnswerRules, startMs: number): AnswerState {
  return {
    rules,
    startMs,
    decided: undefined,
    isAwaited: true,
    speech: undefined,
    isVoiced: false,
    text: "",
    cues: NO_CUES,
    isTextWhole: false,
    wordsAtMs: startMs,
    requests: 0,
    asked: undefined,
    beep: undefined,
    isFax: false,
  };
}

/** Whether a later event can change the verdict. */
export function isWatching({ decided, isAwaited, startMs }: AnswerState, atMs: number): boolean {
  if (isAwaited) return true;
  return decided !== "machine" && decided !== "fax" && atMs < startMs + WATCH_MS;
}

/**
 * Decides from the first sounds and words who or what answered. A pure function of the state and one event; the windows are
 * its clock. A person is recognized while they speak if they ask something; the agent still waits until their words have ended.
 */
export function answerStep(before: AnswerState, event: AnswerEvent): AnswerStep {
  if (!isWatching(before, event.atMs)) return { state: before, effects: [] };
  const state = take(before, event);
  if (!state.isAwaited) return correct(state);
  const by = decide(state, event.atMs);
  if (by !== undefined) return conclude(state, by);
  const early = state.decided === undefined ? decideEarly(state) : undefined;
  if (early !== undefined)
    return { state: { ...state, decided: early }, effects: [{ type: "decided", by: early }] };
  return inquire(state, event.atMs);
}

function take(state: AnswerState, event: AnswerEvent): AnswerState {
  switch (event.type) {
    case "window":
      return takeWindow(state, event.endMs, event.isVoiced);
    case "words":
      return takeWords(state, event);
    case "tone":
      return takeTone(state, event);
    case "opinion":
      return state.asked === undefined
        ? state
        : { ...state, asked: { ...state.asked, isAnswered: true, by: event.by } };
  }
}

function takeWindow(state: AnswerState, endMs: number, isVoiced: boolean): AnswerState {
  if (!isVoiced) return state.isVoiced ? { ...state, isVoiced } : state;
  const startMs = state.speech?.startMs ?? endMs;
  return { ...state, isVoiced, isTextWhole: false, speech: { startMs, lastVoiceMs: endMs } };
}

function takeWords(
  state: AnswerState,
  { atMs, text, isWhole }: AnswerEvent & { type: "words" },
): AnswerState {
  const isTextWhole = isWhole && !state.isVoiced;
  // Sound without words was noise.
  if (text === "") return isTextWhole ? { ...state, speech: undefined, wordsAtMs: atMs } : state;
  return { ...state, text, cues: findAnswerCues(text, state.rules.language), isTextWhole, wordsAtMs: atMs };
}

function takeTone(state: AnswerState, tone: AnswerEvent & { type: "tone" }): AnswerState {
  if (isFaxTone(state, tone)) return { ...state, isFax: true };
  // It may become a fax machine's tone.
  if (!tone.isOver && isNear(tone, FAX_ANSWER_HZ)) return state;
  if (state.isVoiced && tone.durationMs < MIN_TONE_IN_SPEECH_MS) return state;
  const isAfterSpeech = state.speech !== undefined;
  const isBeep = isAfterSpeech || tone.frequencyHz >= MIN_BARE_BEEP_HZ;
  return isBeep ? { ...state, beep: { atMs: tone.atMs, isAfterSpeech } } : state;
}

function isFaxTone({ speech }: AnswerState, tone: Tone): boolean {
  if (tone.durationMs < FAX_TONE_MS) return false;
  return isNear(tone, FAX_ANSWER_HZ) || (isNear(tone, FAX_CALL_HZ) && tone.isOver && speech === undefined);
}

function isNear({ frequencyHz }: Tone, hz: number): boolean {
  return Math.abs(frequencyHz - hz) <= FAX_TOLERANCE_HZ;
}

/** After a person's words only what no person says counts as a recording; after silence anything does. */
function correct(state: AnswerState): AnswerStep {
  const { decided, cues, beep } = state;
  const wasSilent = decided === "silence";
  const isRecording = (cues.isRecording && !cues.isScreening) || (wasSilent && isDoubtfulRecording(cues));
  const isBeep = beep !== undefined && (wasSilent || beep.isAfterSpeech);
  if (state.isFax) return conclude(state, "fax");
  return isRecording || isBeep ? conclude(state, "machine") : { state, effects: [] };
}

/** Decides, unless the verdict is known already, and releases the agent if it may speak. */
function conclude(before: AnswerState, by: AnsweredBy): AnswerStep {
  const isRecording = by === "machine" || by === "fax";
  const isNew = before.decided === undefined || isRecording;
  const state = { ...before, isAwaited: false, decided: isNew ? by : before.decided };
  const effects: AnswerEffect[] = isNew ? [{ type: "decided", by }] : [];
  if (before.isAwaited && !isRecording) effects.push({ type: "released" });
  return { state, effects };
}

/** A verdict for which the end of the speech need not be awaited, although the agent waits for it. */
function decideEarly({ cues, speech }: AnswerState): AnsweredBy | undefined {
  if (speech === undefined) return undefined;
  if (cues.isScreening || cues.isMenu)
    return speech.lastVoiceMs - speech.startMs >= ENDLESS_SPEECH_MS ? "screening" : undefined;
  return cues.isAddress && !cues.isRecording && !cues.mayBeRecording ? "human" : undefined;
}

function isDoubtfulRecording({ mayBeRecording, isPerson, isScreening, isMenu }: AnswerCues): boolean {
  return mayBeRecording && !isPerson && !isScreening && !isMenu;
}

function hasManyWords(text: string): boolean {
  return text.split(/\s+/).length >= MIN_LONG_WORDS;
}

/** Length from which speech with these cues is a recording's. */
function recordingLengthMs({ mayBeRecording }: AnswerCues): number {
  return mayBeRecording ? DOUBTFUL_SPEECH_MS : LONG_SPEECH_MS;
}

function decide(state: AnswerState, atMs: number): AnsweredBy | undefined {
  const { speech, startMs, beep, cues, isFax } = state;
  if (isFax) return "fax";
  if (beep?.isAfterSpeech === true) return "machine";
  if (speech === undefined) {
    if (beep !== undefined) return atMs >= beep.atMs + BARE_BEEP_SILENCE_MS ? "machine" : undefined;
    return atMs >= startMs + SILENT_ANSWER_MS ? "silence" : undefined;
  }
  if (cues.isRecording && !cues.isScreening) return "machine";
  const spokenMs = speech.lastVoiceMs - speech.startMs;
  if (state.isVoiced) return decideInSpeech(state, spokenMs, atMs);
  return decideInPause(state, spokenMs, atMs - speech.lastVoiceMs) ?? decideByOpinion(state, spokenMs, atMs);
}

function decideInSpeech(state: AnswerState, spokenMs: number, atMs: number): AnsweredBy | undefined {
  const { cues, asked } = state;
  if (cues.isScreening || cues.isMenu) return undefined;
  if (asked?.by === "machine" || spokenMs >= ENDLESS_SPEECH_MS) return "machine";
  if (cues.isPerson || asked?.by === "human" || isAwaitingOpinion(state, atMs)) return undefined;
  const isLong = spokenMs >= recordingLengthMs(cues) && hasManyWords(state.text);
  return isLong || (state.text === "" && spokenMs >= LONG_SPEECH_MS) ? "machine" : undefined;
}

function decideInPause(state: AnswerState, spokenMs: number, pauseMs: number): AnsweredBy | undefined {
  const { cues, isTextWhole } = state;
  const isHello = spokenMs <= HELLO_MS;
  if (!isTextWhole) return isHello && pauseMs >= UNREAD_PAUSE_MS ? "human" : undefined;
  if (cues.isScreening || cues.isMenu) return pauseMs >= HELLO_PAUSE_MS ? "screening" : undefined;
  if (isDoubtfulRecording(cues)) return "machine";
  const helloPauseMs = cues.isPerson ? HELLO_PAUSE_MS : NAME_PAUSE_MS;
  if (isHello && !cues.mayBeRecording) return pauseMs >= helloPauseMs ? "human" : undefined;
  if (cues.isPerson && !cues.mayBeRecording) return pauseMs >= SENTENCE_PAUSE_MS ? "human" : undefined;
  return undefined;
}

function isAwaitingOpinion({ asked }: AnswerState, atMs: number): boolean {
  return asked !== undefined && !asked.isAnswered && atMs < asked.atMs + OPINION_DEADLINE_MS;
}

/** Decides words whose length and cues disagree: by the model if it can be asked, else by what follows them. */
function decideByOpinion(state: AnswerState, spokenMs: number, atMs: number): AnsweredBy | undefined {
  const { asked, speech, isTextWhole } = state;
  if (!isTextWhole || speech === undefined) return undefined;
  if (asked?.by !== undefined) return asked.by;
  if (isAwaitingOpinion(state, atMs)) return undefined;
  const { isOpening, isPerson } = state.cues;
  if (atMs < speech.lastVoiceMs + (isOpening ? OPENING_PAUSE_MS : UNCLEAR_PAUSE_MS)) return undefined;
  const isLong = spokenMs >= LONG_SPEECH_MS;
  return isLong && !isPerson && hasManyWords(state.text) ? "machine" : "human";
}

/** Requests words while the speech goes on, and the model's opinion on words that decide nothing. */
function inquire(state: AnswerState, atMs: number): AnswerStep {
  const { speech, isVoiced, isTextWhole, wordsAtMs, requests, asked, text, rules, cues } = state;
  if (speech === undefined) return { state, effects: [] };
  const spokenMs = speech.lastVoiceMs - speech.startMs;
  const isLong = spokenMs > HELLO_MS && (isTextWhole || spokenMs >= DOUBTFUL_SPEECH_MS);
  const isUnclear = isLong && text !== "" && cues.isPerson === cues.mayBeRecording;
  if (isUnclear && rules.hasModel && asked === undefined)
    return {
      state: { ...state, asked: { atMs, isAnswered: false, by: undefined } },
      effects: [{ type: "ask", text }],
    };
  const isDue = spokenMs >= FIRST_WORDS_MS && atMs >= wordsAtMs + WORDS_INTERVAL_MS;
  if (!isVoiced || !isDue || requests >= MAX_REQUESTS) return { state, effects: [] };
  const asking = { ...state, wordsAtMs: atMs, requests: requests + 1 };
  return { state: asking, effects: [{ type: "requestWords" }] };
}
