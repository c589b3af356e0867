import type { HeardText } from "../../providers/speech-to-text.ts";
import type { AnsweredBy, AnswerOpinion, AnswerState } from "../answer/answer-detection.ts";
import { type CallerRhythm, UNKNOWN_RHYTHM } from "./turn-endpointing.ts";
import type { VoiceEndReason } from "../voice-event.ts";

/** Turn-taking settings of an agent. Serialized in turn logs: field names are stable. */
export interface TurnSettings {
  /** The side that speaks first. If `hasGreeting` is false, the agent waits. */
  startSpeaker: "agent" | "user";
  hasGreeting: boolean;
  firstMessageDelayMs: number;
  /** Silence that ends the caller's turn; `undefined`: adapted to the words and the caller's pauses. */
  endpointingDelayMs: number | undefined;
  /** BCP 47. */
  language: string;
  /** Duration of caller speech that stops the agent. */
  interruptionThresholdMs: number;
  disableInterruptions: boolean;
  /** Words that alone do not stop the agent. */
  interruptionIgnoreWords: readonly string[];
  /** Absent in logs of earlier releases, which ignored them. */
  ignoresBackchannels?: boolean;
  /** Minimum number of words that stop the agent. */
  minInterruptionWords: number;
  /** Silence of the caller after which the agent speaks again; `Infinity`: never. */
  turnTimeoutMs: number;
  silenceLimitMs: number;
  maxDurationMs: number;
  /** Whether it is found out who answered, and what a recording gets. Default: it is not. */
  voicemail?: {
    leavesMessage: boolean;
    /** Whether a language model can be asked about unclear words. */
    hasModel: boolean;
  };
}

/**
 * Events of a conversation. Each carries the media clock: milliseconds of caller audio heard at that moment. Serialized
 * in turn logs: type and field names are stable.
 */
export type TurnEvent =
  | { type: "start"; atMs: number }
  /** One analyzed window, which ended at `windowEndMs`; that may be before `atMs`. */
  | { type: "voice"; atMs: number; windowEndMs: number; probability: number }
  /** `agentText`: the agent's speech under way, up to about the current position. */
  | ({ type: "transcribed"; atMs: number; flushId: number; agentText: string } & HeardText)
  /** Words of the utterance so far; reported only until it is known who answered. */
  | { type: "partial"; atMs: number; text: string }
  /** A beep or another single tone. */
  | { type: "tone"; atMs: number; frequencyHz: number; durationMs: number; isOver: boolean }
  /** Answer to `judgeAnswer`. */
  | { type: "answerJudged"; atMs: number; by: AnswerOpinion }
  /** Probability that the turn is over, judged by the sound before the pause of the request. */
  | { type: "turnJudged"; atMs: number; requestId: number; probability: number }
  /** The first audio of the prepared reply arrived, or no audio is to be expected. */
  | { type: "replyReady"; atMs: number }
  /** The recognizer lost the utterance; `isFatal` if it could not be reopened. */
  | { type: "hearingLost"; atMs: number; isFatal: boolean; detail: string }
  /** The first audio of a speech was handed out. */
  | { type: "speechStarted"; atMs: number; speechId: number }
  /** A speech was handed out completely or was empty; `text` is its last heard message. `hasMore`: another reply is due. */
  | {
      type: "speechEnded";
      atMs: number;
      speechId: number;
      endsConversation: boolean;
      text: string;
      hasMore?: true;
    }
  /** `canApologize`: a recorded apology exists, so that no voice is needed for it. */
  | {
      type: "speechFailed";
      atMs: number;
      speechId: number;
      part: "llm" | "tts";
      detail: string;
      canApologize?: boolean;
    }
  /** The answer that this speech is to give has not come, despite all filler phrases. */
  | { type: "answerOverdue"; atMs: number; speechId: number }
  /** The caller pressed a key: `0`–`9`, `*`, `#`, `A`–`D`. */
  | { type: "key"; atMs: number; digit: string }
  /** An instruction entered the history; with `speak` the agent says it once both sides are silent. */
  | { type: "instructed"; atMs: number; text: string; speak: boolean }
  /** A tool returned a result for which no reply waits. */
  | { type: "toolAnswered"; atMs: number }
  /** For `durationMs` before this event no audio was heard, and the media clock stood still. */
  | { type: "stoodStill"; atMs: number; durationMs: number }
  /** The time of a `wakeAt` effect was reached. */
  | { type: "timer"; atMs: number }
  /** The owner ends the conversation. */
  | { type: "hangup"; atMs: number; reason: VoiceEndReason; detail?: string };

/** Subject of one speech of the agent. */
export type SpeechContent =
  | { type: "greeting" }
  /** Answers `turn`, or the history if `undefined`. */
  | { type: "reply"; turn: CallerTurn | undefined }
  /** Speaks an instruction, and answers `turn` if the caller's last turn has no answer yet. */
  | { type: "instruction"; text: string; turn: CallerTurn | undefined }
  /** Addresses a caller who has not answered. */
  | { type: "reminder" }
  | { type: "phrase"; phrase: FixedPhrase }
  /** The message for a mailbox. */
  | { type: "voicemail" };

export type FixedPhrase = "apology" | "noAnswer" | "repeatRequest";

export interface CallerTurn {
  text: string;
  startMs: number;
  endMs: number;
  /** Time from the request for the text to its arrival. */
  sttMs: number;
  endpointingMs: number;
  /** Media time at which silence and text sufficed; from then on only the answer was awaited. */
  decidedAtMs: number;
}

export type TurnEffect =
  | { type: "startUtterance"; leadMs: number }
  | { type: "flush"; flushId: number }
  | { type: "endUtterance" }
  /** Requests the probability that this pause ends the turn, judged by the sound before it. */
  | { type: "judgeTurn"; requestId: number }
  /** The caller's turn is over and enters the transcript. */
  | { type: "callerTurn"; turn: CallerTurn }
  /** The caller pressed these keys in a row. */
  | { type: "callerKeys"; text: string; startMs: number; endMs: number }
  /** Prepares an answer, unheard, because the turn may be over with this text. */
  | { type: "prepareReply"; text: string }
  | { type: "dropReply" }
  /** Starts a speech. A reply to the prepared text is the prepared one. */
  | { type: "speak"; speechId: number; content: SpeechContent }
  /** `isInterruption`: the caller stops it, by speaking, by a key or by hanging up. */
  | { type: "stopSpeech"; speechId: number; isInterruption?: true }
  /** Ends the speech with its current sentence. */
  | { type: "finishSentence"; speechId: number }
  /** Silences the speech at once, until it resumes or stops. */
  | { type: "pauseSpeech"; speechId: number }
  | { type: "resumeSpeech"; speechId: number }
  /** Asks the language model who said these first words. */
  | { type: "judgeAnswer"; text: string }
  /** It is known, or corrected, who answered. `text`: the words so far. */
  | { type: "answeredBy"; by: AnsweredBy; text: string; startMs: number; endMs: number }
  /** Prepares the message for the mailbox. */
  | { type: "prepareMessage" }
  /** Sets the only timer; `Infinity` cancels it. */
  | { type: "wakeAt"; atMs: number }
  | { type: "end"; reason: VoiceEndReason; detail?: string };

interface Flush {
  id: number;
  askedAtMs: number;
  /** Requested while the callee speaks, only to find out who answered. */
  isEarly?: true;
  /** `silenceMs`: silence that ends the turn after this text. `isLikelyWhole`: an answer is prepared before that. */
  answer: (HeardText & { atMs: number; silenceMs: number; isLikelyWhole: boolean }) | undefined;
}

/** Result of the turn-end model for one pause. */
export interface Judgment {
  requestId: number;
  probability: number | undefined;
  /** This is the second request for the pause, because the first result was unsure. */
  isSecond: boolean;
}

/** Caller speech without an answer yet. Continues over pauses shorter than the endpointing delay. */
export interface CallerUtterance {
  startMs: number;
  /** End of the last window with speech. */
  lastVoiceMs: number;
  /** Sum of the windows with speech. */
  voicedMs: number;
  /** Part that does not count toward an interruption: voice before the agent began, or before the last pause. */
  voicedBeforeMs: number;
  flush: Flush | undefined;
  /** Judgment of the current pause. */
  judgment: Judgment | undefined;
  /** The last pause, until it is known whether words followed it, and the number of words before it. */
  pause: { lengthMs: number; wordCount: number } | undefined;
  /** The greeting began before these words were known, and answers them: they are only recorded. */
  isGreeted: boolean;
}

export type Agent =
  | { phase: "idle" }
  /** A speech is under way; `thinking` before its first audio, `speaking` from then on. */
  | {
      phase: "thinking" | "speaking";
      speechId: number;
      content: SpeechContent;
      /** Media time since which the speech is silent because the caller may be interrupting. */
      pausedAtMs: number | undefined;
      /** Number of pauses that were no interruption: each doubles the caller speech required for the next. */
      falsePauses: number;
      /** Reason with which the call ends after this speech, even if the speech fails. */
      lastWords: { reason: VoiceEndReason; detail: string } | undefined;
    };

/** A mailbox that is to get a message. */
interface Voicemail {
  sinceMs: number;
  /** Last voice or tone. */
  lastSoundMs: number;
  /** Whether a tone is being heard. */
  isTone: boolean;
  hasBeep: boolean;
}

export interface TurnState {
  readonly settings: TurnSettings;
  readonly phase: "waiting" | "running" | "ended";
  readonly isVoiced: boolean;
  /** Consecutive windows at onset level, while not yet voiced. */
  readonly onsetWindows: number;
  readonly utterance: CallerUtterance | undefined;
  readonly agent: Agent;
  /** Text for which a reply is prepared. */
  readonly preparedText: string | undefined;
  /** The prepared reply's first audio has arrived. */
  readonly isReplyReady: boolean;
  /** The agent's last message; of an interrupted one the part heard, as far as known. */
  readonly agentText: string;
  readonly rhythm: CallerRhythm;
  /** Media time at which the delayed greeting is due; `Infinity` without one. */
  readonly greetingAtMs: number;
  readonly isGreetingDue: boolean;
  /** A reply was canceled before it was audible. It is generated again unless the caller says something new. */
  readonly isReplyPending: boolean;
  /** Instructions to be spoken, oldest first. */
  readonly instructions: readonly string[];
  /** Tool results, keys or a postponed reply await a reply of the agent. */
  readonly hasUnreportedInput: boolean;
  /** End of the call once the last words have been heard. */
  readonly hangup: { atMs: number; reason: VoiceEndReason; detail: string | undefined } | undefined;
  readonly maxDurationAtMs: number;
  readonly lastActivityMs: number;
  /** Keys pressed so far; more may follow. */
  readonly keys: { text: string; startMs: number; endMs: number } | undefined;
  /** End of the agent's last speech; `Infinity` before the first. */
  readonly agentSpokeAtMs: number;
  /** Consecutive flushes without an answer in time. */
  readonly missedFlushes: number;
  readonly lastFlushId: number;
  readonly lastJudgmentId: number;
  readonly lastSpeechId: number;
  readonly wakeAtMs: number;
  /** Who answered, as far as known; `undefined` if that is not to be found out. */
  readonly answer: AnswerState | undefined;
  readonly voicemail: Voicemail | undefined;
}

export interface TurnStep {
  state: TurnState;
  effects: readonly TurnEffect[];
}

export const IDLE: Agent = { phase: "idle" };

export function initialTurnState(settings: TurnSettings): TurnState {
  return {
    settings,
    phase: "waiting",
    isVoiced: false,
    onsetWindows: 0,
    utterance: undefined,
    agent: IDLE,
    preparedText: undefined,
    isReplyReady: false,
    agentText: "",
    rhythm: UNKNOWN_RHYTHM,
    greetingAtMs: Infinity,
    isGreetingDue: false,
    isReplyPending: false,
    instructions: [],
    hasUnreportedInput: false,
    hangup: undefined,
    maxDurationAtMs: Infinity,
    lastActivityMs: 0,
    keys: undefined,
    agentSpokeAtMs: Infinity,
    missedFlushes: 0,
    lastFlushId: 0,
    lastJudgmentId: 0,
    lastSpeechId: 0,
    wakeAtMs: Infinity,
    answer: undefined,
    voicemail: undefined,
  };
}

/** Whether the first words of the side that answered still go on, or who said them is unknown: nothing is said and no turn ends before. */
export function isAnswerAwaited({ answer }: TurnState): boolean {
  return answer !== undefined && answer.isAwaited;
}
