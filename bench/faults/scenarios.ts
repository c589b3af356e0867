import type { ScriptedFault } from "@parley/providers/testing";

/** Fault of one of the providers of a call. */
export interface Scenario {
  name: string;
  part: "none" | "stt" | "llm" | "tts";
  /** Fault of the nth connection (STT, TTS) or request (LLM). */
  fault: (index: number) => ScriptedFault | undefined;
}

const stages: readonly [string, ScriptedFault][] = [
  ["connect stalls", { type: "stallConnect" }],
  ["first byte stalls", { type: "stall", after: 0 }],
  ["stalls between chunks", { type: "stall", after: 3 }],
  ["half open", { type: "deaf", after: 3 }],
  ["closes in mid-word", { type: "close", after: 3 }],
  ["401", { type: "status", status: 401 }],
  ["429", { type: "status", status: 429 }],
  ["500", { type: "status", status: 500 }],
];

/** A recognizer sends few results per question, or only one, so its faults come one message earlier. */
function forStt(fault: ScriptedFault): ScriptedFault {
  return "after" in fault ? { ...fault, after: Math.min(1, fault.after) } : fault;
}

export const scenarios: readonly Scenario[] = [
  { name: "no fault", part: "none", fault: () => undefined },
  ...stages.map(([stage, fault]): Scenario => ({
    name: `STT ${stage}`,
    part: "stt",
    fault: () => forStt(fault),
  })),
  ...stages.map(([stage, fault]): Scenario => ({
    name: `LLM ${stage}, every second request`,
    part: "llm",
    fault: (index) => (index % 2 === 0 ? fault : undefined),
  })),
  { name: "LLM first byte stalls, every request", part: "llm", fault: () => ({ type: "stall", after: 0 }) },
  ...stages.map(([stage, fault]): Scenario => ({ name: `TTS ${stage}`, part: "tts", fault: () => fault })),
];
