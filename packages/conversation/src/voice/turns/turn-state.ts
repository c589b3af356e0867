import type { HeardText } from "../../providers/speech-to-text.ts";
import { type CallerRhythm, UNKNOWN_RHYTHM } from "./turn-endpointing.ts";
import type { VoiceEndReason } from "../voice-event.ts";

/** What an agent's owner can set about turn-taking. */
export interface TurnSettings {
  /** Who speaks first. `hasGreeting` false: nobody is made to. */
  startSpeaker: "agent" | "user";
  hasGreeting: boolean;
  firstMessageDelayMs: number;
  /** Silence after which the caller's turn is over; undefined: by what was said and how the caller pauses. */
  endpointingDelayMs: number | undefined;
  /** BCP 47. */
  language: string;
  /** Speech of the caller that stops the agent. */
  interruptionThresholdMs: number;
  disableInterruptions: boolean;
  /** Said alone, these do not stop the agent. */
  interruptionIgnoreWords: readonly string[];
  /** Fewer words do not stop the agent. */
  minInterruptionWords: number;
  /** Silence of the caller after which the agent asks again; `Infinity`: never. */
  turnTimeoutMs: number;
  silenceLimitMs: number;
  maxDurationMs: number;
}

/** Every event carries the media clock: milliseconds of caller audio heard when it came to pass. */
export type TurnEvent =
  | { type: "start"; atMs: number }
  /** One analyzed window; it ended at `windowEndMs`, which may lie before `atMs`. */
  | { type: "voice"; atMs: number; windowEndMs: number; probability: number }
  /** `agentText`: the agent's speech under way, to where it is about now. */
  | ({ type: "transcribed"; atMs: number; flushId: number; agentText: string } & HeardText)
  /** How the caller sounded before the pause that was asked about: the probability that the turn is over. */
  | { type: "turnJudged"; atMs: number; requestId: number; probability: number }
  /** The first sound of the prepared reply is there, or nothing is to be waited for. */
  | { type: "replyReady"; atMs: number }
  /** The recognizer lost what it had heard; `isFatal` when it could not be opened again. */
  | { type: "hearingLost"; atMs: number; isFatal: boolean; detail: string }
  /** First audio of a speech was handed out. */
  | { type: "speechStarted"; atMs: number; speechId: number }
  /** All of a speech was handed out (or there was nothing to say); `text` is the last of what was heard. */
  | { type: "speechEnded"; atMs: number; speechId: number; endsConversation: boolean; text: string }
  /** `canApologize`: a recorded apology is at hand, so that a voice which failed is not needed for it. */
  | {
      type: "speechFailed";
      atMs: number;
      speechId: number;
      part: "llm" | "tts";
      detail: string;
      canApologize?: boolean;
    }
  /** The caller pressed a key: `0`–`9`, `*`, `#`, `A`–`D`. */
  | { type: "key"; atMs: number; digit: string }
  /** Stands in the history; with `speak` the agent is to say it as soon as nobody speaks. */
  | { type: "instructed"; atMs: number; text: string; speak: boolean }
  /** A tool has answered that no reply waits for. */
  | { type: "toolAnswered"; atMs: number }
  /** A `wakeAt` has been reached. */
  | { type: "timer"; atMs: number }
  /** The owner ends the conversation. */
  | { type: "hangup"; atMs: number; reason: VoiceEndReason; detail?: string };

/** What a speech of the agent is about. */
export type SpeechContent =
  | { type: "greeting" }
  /** Answers `turn`, or (`undefined`) what stands in the history. */
  | { type: "reply"; turn: CallerTurn | undefined }
  /** Says what an instruction asks for; `turn` is the caller's where it has not been answered, which this does too. */
  | { type: "instruction"; text: string; turn: CallerTurn | undefined }
  /** The caller has not answered. */
  | { type: "reminder" }
  | { type: "phrase"; phrase: "apology" | "repeatRequest" };

export interface CallerTurn {
  text: string;
  startMs: number;
  endMs: number;
  /** Text asked for → text there. */
  sttMs: number;
  endpointingMs: number;
  /** Silence and text sufficed from here on; only the answer was still waited for. */
  decidedAtMs: number;
}

export type TurnEffect =
  | { type: "startUtterance"; leadMs: number }
  | { type: "flush"; flushId: number }
  | { type: "endUtterance" }
  /** Is this pause the end of the turn, by the sound of what came before it? */
  | { type: "judgeTurn"; requestId: number }
  /** The caller's turn is over and stands in the transcript. */
  | { type: "callerTurn"; turn: CallerTurn }
  /** The caller has pressed these keys, one after the other. */
  | { type: "callerKeys"; text: string; startMs: number; endMs: number }
  /** The turn may be over with this text: its answer is made ahead of time, unheard. */
  | { type: "prepareReply"; text: string }
  | { type: "dropReply" }
  /** The reply to a turn whose text it was prepared for is the prepared one. */
  | { type: "speak"; speechId: number; content: SpeechContent }
  | { type: "stopSpeech"; speechId: number }
  /** The speech ends with the sentence that is being said. */
  | { type: "finishSentence"; speechId: number }
  /** Silent at once, until it goes on where it was or is stopped. */
  | { type: "pauseSpeech"; speechId: number }
  | { type: "resumeSpeech"; speechId: number }
  /** Replaces the one before; `Infinity` cancels it. */
  | { type: "wakeAt"; atMs: number }
  | { type: "end"; reason: VoiceEndReason; detail?: string };

interface Flush {
  id: number;
  askedAtMs: number;
  /** `silenceMs` of silence after such a text end the turn; where it `isLikelyWhole` an answer is begun before. */
  answer: (HeardText & { atMs: number; silenceMs: number; isLikelyWhole: boolean }) | undefined;
}

/** What the sound of the caller tells of a pause. */
export interface Judgment {
  requestId: number;
  probability: number | undefined;
  /** The first one was not sure. */
  isSecond: boolean;
}

/** Speech of the caller that is not answered yet; goes on over pauses shorter than the endpointing delay. */
export interface CallerUtterance {
  startMs: number;
  /** End of the last window with speech. */
  lastVoiceMs: number;
  /** Sum of the windows with speech. */
  voicedMs: number;
  /** The part of it that does not count towards an interruption: from before the agent began, or the last pause. */
  voicedBeforeMs: number;
  flush: Flush | undefined;
  /** Of this pause. */
  judgment: Judgment | undefined;
  /** The last pause, of which it is not known yet whether words followed it; and the words before it. */
  pause: { lengthMs: number; wordCount: number } | undefined;
}

export type Agent =
  | { phase: "idle" }
  /** Something is to be said, and nothing of it was heard yet (`thinking`) or some was (`speaking`). */
  | {
      phase: "thinking" | "speaking";
      speechId: number;
      content: SpeechContent;
      /** Since when it is silent because the caller may want to interrupt it. */
      pausedAtMs: number | undefined;
      /** How often it was, for nothing: the caller has to speak for longer each time. */
      falsePauses: number;
      /** The call ends with this after the speech, whatever becomes of it. */
      lastWords: { reason: VoiceEndReason; detail: string } | undefined;
    };

export interface TurnState {
  readonly settings: TurnSettings;
  readonly phase: "waiting" | "running" | "ended";
  readonly isVoiced: boolean;
  /** Consecutive windows at onset level, while not yet voiced. */
  readonly onsetWindows: number;
  readonly utterance: CallerUtterance | undefined;
  readonly agent: Agent;
  /** What a reply is prepared for. */
  readonly preparedText: string | undefined;
  /** Its first sound is there. */
  readonly isReplyReady: boolean;
  /** What the agent said last; of what was interrupted, what was heard of it as far as that is known. */
  readonly agentText: string;
  readonly rhythm: CallerRhythm;
  /** The greeting is still to come. */
  readonly greetingAtMs: number;
  readonly isGreetingDue: boolean;
  /** A reply was cancelled before it was heard; it is made again unless the caller really says something. */
  readonly isReplyPending: boolean;
  /** What instructions ask to be said, in the order in which they came. */
  readonly instructions: readonly string[];
  /** Tools have answered, and the agent has not told of it; or what it was to say had to wait. */
  readonly hasUnreportedInput: boolean;
  /** All is said: the call ends as soon as the last of it was heard. */
  readonly hangup: { atMs: number; reason: VoiceEndReason; detail: string | undefined } | undefined;
  readonly maxDurationAtMs: number;
  readonly lastActivityMs: number;
  /** Keys that were pressed, to which more may come. */
  readonly keys: { text: string; startMs: number; endMs: number } | undefined;
  /** End of the agent's last speech; `Infinity` before it. */
  readonly agentSpokeAtMs: number;
  /** Flushes in a row that were not answered in time. */
  readonly missedFlushes: number;
  readonly lastFlushId: number;
  readonly lastJudgmentId: number;
  readonly lastSpeechId: number;
  readonly wakeAtMs: number;
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
  };
}
