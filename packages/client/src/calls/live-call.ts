import type { LiveCallEvent, TranscriptItem, Turn } from "../generated/types.ts";

/** The agent's current speech; its `item` follows at the end. */
export type Speech = Omit<Extract<LiveCallEvent, { type: "itemStarted" }>, "type">;

/** How a call ended. `connection_lost`: the server was not reached again and ends the call itself. */
export interface CallEnd {
  reason: Extract<LiveCallEvent, { type: "ended" }>["endReason"] | "connection_lost";
  /** Details, for example the provider's error. */
  detail: string | null;
}

/** State of a call in progress. */
export interface LiveCall {
  agentState: "listening" | "thinking" | "speaking";
  transcript: readonly TranscriptItem[];
  /** Not in the transcript yet. */
  speech: Speech | undefined;
  turns: readonly Turn[];
}

export const newLiveCall: LiveCall = {
  agentState: "listening",
  transcript: [],
  speech: undefined,
  turns: [],
};

const eventTypes: ReadonlySet<string> = new Set(["state", "itemStarted", "item", "turn", "ended"]);

/** Reads a message of the data channel; `undefined` for messages of newer servers. */
export function readLiveEvent(data: unknown): LiveCallEvent | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const event: unknown = JSON.parse(data);
    const isKnown =
      typeof event === "object" && event !== null && "type" in event && eventTypes.has(String(event.type));
    return isKnown ? (event as LiveCallEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** The call after an event; the same object if nothing changes, for example after a reconnection. */
export function applyLiveEvent(call: LiveCall, event: LiveCallEvent): LiveCall {
  switch (event.type) {
    case "state":
      return event.state === call.agentState ? call : { ...call, agentState: event.state };
    case "itemStarted": {
      const { type: _, ...speech } = event;
      return call.transcript.some(({ id }) => id === speech.id) ? call : { ...call, speech };
    }
    case "item": {
      const { item } = event;
      const isKnown = call.transcript.some((each) => each.id === item.id && each.text === item.text);
      if (isKnown) return call;
      const others = call.transcript.filter(({ id }) => id !== item.id);
      const speech = call.speech?.id === item.id ? undefined : call.speech;
      return { ...call, speech, transcript: [...others, item].sort((a, b) => a.startMs - b.startMs) };
    }
    case "turn":
      return call.turns.some(({ id }) => id === event.turn.id)
        ? call
        : { ...call, turns: [...call.turns, event.turn] };
    case "ended":
      return call.speech === undefined ? call : { ...call, speech: undefined };
  }
}
