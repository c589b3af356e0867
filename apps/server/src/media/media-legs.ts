import type { LiveCallEvent } from "@parley/contract";
import type { BriefingOutcome, Instruction, TransferResult, VoiceEvent } from "@parley/conversation";
import type { SignRequest } from "../custom-tools/webhook-tool.ts";
import type {
  KnowledgeOutcome,
  MediaPath,
  MediaStatistics,
  TextOutcome,
  WebFragmentResult,
  WebJoinResult,
} from "./media-protocol.ts";
import type { SdpFragment } from "./web/web-sdp-fragment.ts";

export interface MediaLegHandlers {
  onEvent: (event: VoiceEvent) => void;
  /** Signs a tool's request. Never rejects. */
  onSign: SignRequest;
  /** Puts the peer's number on the do-not-call list. Returns false if it could not. Never rejects. */
  onDoNotCall: () => Promise<boolean>;
  /** Sends a text message to the other side. Never rejects. */
  onSendText: (text: string) => Promise<TextOutcome>;
  /** Transfers the call to the agent's destination with this index. Never rejects. */
  onTransfer: (destination: number) => Promise<TransferResult>;
  /** Called when the person to whom the call was transferred has been silent for so long that it counts as gone. */
  onPersonTimeout: (silentMs: number) => void;
  /** Searches the agent's knowledge bases. Never rejects. */
  onSearchKnowledge: (query: string) => Promise<KnowledgeOutcome>;
  /** Called when the peer has been silent for so long that it counts as gone. */
  onMediaTimeout: (silentMs: number) => void;
  /** Called when an exception has ended the conversation. */
  onFault: (description: string) => void;
  /** Called when the media process has died. */
  onLost: (description: string) => void;
}

/** The main process's handle on one call in a media process, for phone and browser calls. */
export interface CallMedia {
  /** Resolves when the greeting is ready or its deadline has passed; never rejects. */
  readonly prepared: Promise<void>;
  /** Resolves with whether the agent took the instruction in time; false if the process dies. Without a deadline of its own. */
  instruct: (instruction: Instruction) => Promise<boolean>;
  /** Adds a step of a transfer to the transcript. */
  noteTransfer: (text: string) => void;
  /** Idempotent. Resolves with `undefined` if the process has died. */
  close: () => Promise<MediaStatistics | undefined>;
}

/** Handle on a phone call. */
export interface MediaLeg extends CallMedia {
  readonly rtpPort: number;
  connect: (path: MediaPath) => void;
  start: () => void;
  /** The peer has acknowledged the answer. Before that, or before audio arrives from it, at most 2 s of audio are sent. */
  confirm: () => void;
  /** Passes on a key that arrived by INFO. */
  hearKey: (digit: string) => void;
  readonly transfer: TransferMedia;
}

/** Handle on the media of a person to whom a call is transferred. */
export type PersonMedia = Pick<MediaLeg, "rtpPort" | "connect" | "hearKey">;

/** Handle on the transfer of a phone call. */
export interface TransferMedia {
  /** The caller hears that a telephone rings, or the message and music of a warm transfer. */
  hold: () => void;
  /** Opens the person's port. Rejects with what went wrong. */
  openPerson: (options: { isIPv6: boolean }) => Promise<PersonMedia>;
  /** Presses keys to the person who answered, then asks whether they take the call. Never rejects. */
  brief: (options: { keys: string; waitForHumanMs: number }) => Promise<BriefingOutcome>;
  /**
   * Connects both sides: of a cold transfer after pressing keys to the person who answered, of a warm one after the introduction.
   * Resolves with whether they are connected: false if the call or the transfer ended before.
   */
  bridge: (keys: string) => Promise<boolean>;
  /** Returns the caller to the agent and closes the person's port. */
  end: () => void;
}

/** Handle on a browser call. */
export interface WebMediaLeg extends CallMedia {
  /** Answers a browser's offer, the first or that of a new connection. */
  join: (sdp: string) => Promise<WebJoinResult>;
  /** Adds the browser's candidates, or restarts ICE. */
  takeFragment: (fragment: SdpFragment) => Promise<WebFragmentResult>;
  /** Ends the conversation. Resolves when its last items have been reported, or the process has died. */
  finish: () => Promise<void>;
  /** Sends an event to the browser. */
  sendEvent: (event: LiveCallEvent) => void;
}

export interface WebMediaLegHandlers extends MediaLegHandlers {
  /** Called when a browser has connected for the first time and the conversation starts. */
  onConnected: () => void;
}
