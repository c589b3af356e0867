import type { FlowState } from "./flow/flow-state.ts";

/** Part of a document that a search found. */
export interface KnowledgePassage {
  knowledgeBaseId: string;
  documentId: string;
  documentName: string;
  /** Headings above it; empty: none. */
  heading: string;
  page: number | null;
  row: number | null;
  url: string | null;
  text: string;
  /** Similarity from 0 to 1. */
  score: number;
}

/** An entry of a conversation's transcript, as stored, displayed and given to the model. */
export type TranscriptEntry =
  /**
   * An agent's message contains only what was heard; `interrupted` marks one that the caller cut off. `knowledge`: what the
   * model was given of documents for it.
   */
  | {
      type: "message";
      role: "user" | "agent";
      text: string;
      interrupted?: boolean;
      knowledge?: KnowledgePassage[];
    }
  /** An instruction of an operator to the agent. */
  | { type: "instruction"; text: string }
  /** `text`: the arguments as JSON. */
  | { type: "tool_call"; toolCallId: string; toolName: string; text: string }
  /** `text`: the result as JSON or plain text, or the reason of the failure. */
  | { type: "tool_result"; toolCallId: string; toolName: string; text: string; isError: boolean }
  /** `text`: the keys pressed by either side: `0`–`9`, `*`, `#`, `A`–`D`; `w` is a wait of half a second. */
  | { type: "dtmf"; text: string; direction: "received" | "sent" }
  /** A step of a transfer; the model sees only the result of its tool. */
  | { type: "transfer"; text: string }
  /** A step of the agent's flow at `nodeId`, with the state after it; the model does not see it. */
  | { type: "flow"; text: string; nodeId: string; flowState: FlowState }
  /** A note for readers of the transcript; the model does not see it. */
  | { type: "system"; text: string };

/** An entry of a call. Times count from the start of the call's media. */
export type TranscriptItem = TranscriptEntry & { id: string; startMs: number; endMs: number };
