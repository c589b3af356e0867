/** What was said and done in a conversation, as it is stored, shown and given to the model again. */
export type TranscriptEntry =
  /** An agent's message holds only what was heard; `interrupted` tells that more was meant to be said. */
  | { type: "message"; role: "user" | "agent"; text: string; interrupted?: boolean }
  /** What an operator told the agent to take into account. */
  | { type: "instruction"; text: string }
  /** `text` is the arguments as JSON. */
  | { type: "tool_call"; toolCallId: string; toolName: string; text: string }
  /** `text` is what the tool answered: JSON, plain text or the reason of its failure. */
  | { type: "tool_result"; toolCallId: string; toolName: string; text: string; isError: boolean }
  /** `text` is the keys that were pressed, by the other side or the agent: `0`–`9`, `*`, `#`, `A`–`D`; `w`: half a second's wait. */
  | { type: "dtmf"; text: string; direction: "received" | "sent" }
  /** A note for whoever reads the transcript; the model does not see it. */
  | { type: "system"; text: string };

/** An entry as part of a call. Times count from the start of the call's media. */
export type TranscriptItem = TranscriptEntry & { id: string; startMs: number; endMs: number };
