import type { FuzzedNode } from "./node/fuzzed-node.ts";
import type { Random } from "./random.ts";

/**
 * Of an answer its class (`4xx`, `none`) and, where one is known, the input that it answers. An answer that begins with `!`
 * is a finding: the node should not have answered so.
 */
export type AnswerListener = (answer: string, input?: Buffer) => void;

/** A target while it is attacked. */
interface OpenTarget {
  /** Resolves when the next input may follow; answers that come later are told too. */
  send: (input: Buffer) => Promise<void>;
  /** Waits for the answers that are to be expected, and closes what it has opened. */
  close: () => Promise<void>;
}

/** One way into the node. */
export interface Target {
  name: string;
  /** How many inputs are on their way at once. */
  concurrency: number;
  /** Between two rounds of that many; 0 where each input is answered. */
  pauseMs: number;
  /**
   * A source of inputs: the same for the same random numbers, and good for every run, as what only a run knows (ports, ids,
   * keys) is written `{{name}}` in it and filled in by `send`.
   */
  inputs: (random: Random) => () => Buffer;
  open: (node: FuzzedNode, onAnswer: AnswerListener) => Promise<OpenTarget>;
}

/** Puts values for `{{name}}`; what is not known stays. Bytes that are no text pass unchanged. */
export function fillIn(input: Buffer, values: Readonly<Record<string, string>>): Buffer {
  if (!input.includes("{{")) return input;
  const text = input.toString("latin1");
  return Buffer.from(
    text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole),
    "latin1",
  );
}
