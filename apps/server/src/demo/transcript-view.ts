import type { CallDetail } from "@parley/contract";
import type { Verdict } from "./judge.ts";

const speakers = { user: "Caller", agent: "Agent " } as const;

/** Prints a call on the terminal while it runs: its transcript, and below each answer the duration of its steps. */
export class TranscriptView {
  readonly #print: (line: string) => void;
  readonly #shownItems = new Set<string>();
  #shownTurns = 0;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Prints the items added since the last call. */
  show({ transcript, turns }: CallDetail): void {
    for (const item of transcript) {
      if (this.#shownItems.has(item.id)) continue;
      const at = (item.startMs / 1000).toFixed(1).padStart(6);
      const speaker = item.role === undefined ? item.type : speakers[item.role];
      this.#print(`${at} s  ${speaker}  ${item.text}${item.interrupted === true ? " —" : ""}`);
      // The record contains a turn once its first sound was sent, and an item once it was spoken.
      const turn = item.role === "agent" ? turns[this.#shownTurns] : undefined;
      const isGreeting =
        item.role === "agent" &&
        !transcript.some(({ role, startMs }) => role === "user" && startMs < item.startMs);
      if (turn !== undefined && !isGreeting) {
        this.#shownTurns += 1;
        this.#print(
          `                  ${[
            `answered after ${milliseconds(turn.totalMs)}`,
            `end of turn ${milliseconds(turn.endpointingMs)}`,
            `recognition ${milliseconds(turn.sttMs)}`,
            `first token ${milliseconds(turn.llmFirstTokenMs)}`,
            `tools ${milliseconds(turn.toolMs)}`,
            `first clause ${milliseconds(turn.llmFirstClauseMs)}`,
            `first sound ${milliseconds(turn.ttsFirstByteMs)}`,
            `waiting ${milliseconds(turn.waitMs)}`,
            `overhead ${milliseconds(turn.overheadMs)}`,
          ].join(" · ")}`,
        );
      }
      this.#shownItems.add(item.id);
    }
  }

  summarize({ llmName, sttName, ttsName, endReason }: CallDetail, verdict: Verdict): void {
    this.#print(`
The call ended (${endReason}). Recognition: ${sttName}. Language model: ${llmName}. Voice: ${ttsName}.
The caller was ${verdict.isUnderstood ? "" : "NOT "}understood: ${percent(verdict.understoodShare)} of its words are in the transcript.
The answers were ${verdict.isHeard ? "" : "NOT "}heard: ${percent(verdict.heardShare)} of their words were recognized in the audio that the caller received.
Time from the end of a question to the first sound of its answer, at the caller: median ${milliseconds(verdict.voiceToVoiceP50Ms)}.`);
    if (llmName === "parley/builtin-responder") {
      this.#print(
        "No language model is configured, so the built-in responder answered with sentences from the agent's prompt.\n" +
          "Set OPENAI_API_KEY, PARLEY_LLM_BASE_URL or PARLEY_LLM_GGUF to use one.",
      );
    }
  }

  /** @param causes Reasons of the demo's failure; empty if it succeeded. */
  explain(causes: readonly string[]): void {
    if (causes.length === 0) return;
    this.#print(`\nWhy it failed: ${causes.join("; ")}.`);
    this.#print(
      "Local speech needs about two free processor cores: end other programs, use a larger machine, or use a speech\n" +
        "provider (PARLEY_STT and PARLEY_TTS in docs/operating.md).",
    );
  }
}

function milliseconds(value: number | null): string {
  return value === null ? "?" : `${Math.round(value)} ms`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
