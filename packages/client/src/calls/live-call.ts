import type { LiveCallEvent, TranscriptItem, Turn } from "../generated/types.ts";

/** What the agent is being heard to say; its `item` follows when it has ended. */
export type Speech = Omit<Extract<LiveCallEvent, { type: "itemStarted" }>, "type">;

/** How a call ended. `connection_lost`: the server was not reached again; it ends the call by itself. */
export interface CallEnd {
  reason: Extract<LiveCallEvent, { type: "ended" }>["endReason"] | "connection_lost";
  /** The provider's error behind it, for example. */
  detail: string | null;
}

/** What is known of a call in progress. */
export interface LiveCall {
  agentState: "listening" | "thinking" | "speaking";
  transcript: readonly TranscriptItem[];
  /** Not yet in the transcript. */
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

/** Reads a message of the data channel; undefined for what a newer server may say beside. */
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

/** The call after an event; the same object where it says nothing new, as after a reconnection. */
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
