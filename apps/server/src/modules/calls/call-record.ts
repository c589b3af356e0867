/** The data of a call's record, at its beginning, at its answer, at its end and afterwards. */
import type { CallEndReason, CallQuality, CallStatus, Variables } from "@parley/contract";
import type { CallRow, Handover } from "./calls.store.ts";
import type { CallChannel } from "./calls.tables.ts";

export type { CallChannel };
export type { CallRow, Handover };

/** A call of either channel and direction, before its record is written. */
export interface NewCall {
  organizationId: string;
  agentId: string;
  /** The revision that ran; null in auto mode. */
  agentRevision: number | null;
  /** Null for the tester's side of a test call, which is no agent. */
  configurationRevision: number | null;
  /** Null for production. */
  environment: string | null;
  channel: CallChannel;
  direction: "inbound" | "outbound";
  status: "queued" | "ringing";
  /** Our phone number; null for a web call. */
  phoneNumberId: string | null;
  sipTrunkId: string | null;
  /** Null if withheld. */
  fromNumber: string | null;
  /** Null for a web call. */
  toNumber: string | null;
  nodeId: string;
  sipCallId: string | null;
  variables: Variables;
  postCallWebhookUrl: string | null;
  /** When it began to ring; null if it has not yet. */
  startedAt: Date | null;
  /** A browser test call, or one of a test run. */
  isTest?: boolean;
  /** Default: the other side is not known. */
  customerId?: string;
  /** Conversation of the interrupted call that this one continues. */
  continuesId?: string;
  campaignId?: string | null;
  campaignContactId?: string;
}

/** An inbound phone call. */
export type NewInboundCall = Omit<NewCall, "channel" | "direction" | "status" | "startedAt"> & {
  /** When it began to ring. */
  at: Date;
};

/** A recorded call that no node runs yet. */
export type PlacedCall = CallRow & { variables: Variables };

export interface CallAnswer {
  at: Date;
  llmName: string;
  sttName: string;
  ttsName: string;
  isRecorded?: boolean;
}

export type FinalCallStatus = Extract<CallStatus, "completed" | "failed" | "no_answer" | "busy" | "canceled">;

export interface CallEnd {
  status: FinalCallStatus;
  endReason: CallEndReason;
  endDetail?: string;
  endedAt: Date;
  /** When the end was noticed, after the death of the call's node. Default: `endedAt`. */
  noticedAt?: Date;
  /** Absent if no media flowed. */
  quality?: CallQuality;
}

export type EndedCall = CallRow & { endedAt: Date };

/** Results that are produced after a call's end. */
export type CallResult = Partial<
  Pick<CallRow, "recordingStatus" | "analysisStatus" | "analysisDetail" | "extraction" | "evaluation">
>;

/** What is stored of a call. */
export interface StoredCall {
  hasTranscript: boolean;
  /** `false` if the recording was deleted. */
  mayHaveRecording: boolean;
}
