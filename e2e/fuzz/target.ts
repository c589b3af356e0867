import type { FuzzedNode } from "./node/fuzzed-node.ts";
import type { Random } from "./random.ts";

/**
 * Receives the class of an answer (`4xx`, `none`) and, if known, the input that it answers. An answer that
 * begins with `!` is a finding: the node must not give it.
 */
export type AnswerListener = (answer: string, input?: Buffer) => void;

/** A target under attack. */
interface OpenTarget {
  /** Resolves when the next input may follow. Later answers are reported too. */
  send: (input: Buffer) => Promise<void>;
  /** Waits for the expected answers, and closes what `open` has opened. */
  close: () => Promise<void>;
}

/** One input channel of the node. */
export interface Target {
  name: string;
  /** Number of inputs in flight at once. */
  concurrency: number;
  /** Pause in milliseconds between two rounds of that many inputs; 0 if each input is answered. */
  pauseMs: number;
  /**
   * Returns a source of inputs: the same random numbers give the same inputs. Inputs are valid for every run,
   * because values of a run (ports, ids, keys) are written as `{{name}}`, which `send` fills in.
   */
  inputs: (random: Random) => () => Buffer;
  open: (node: FuzzedNode, onAnswer: AnswerListener) => Promise<OpenTarget>;
}

/** Fills in values of `{{name}}`; unknown names stay. Binary input passes unchanged. */
export function fillIn(input: Buffer, values: Readonly<Record<string, string>>): Buffer {
  if (!input.includes("{{")) return input;
  const text = input.toString("latin1");
  return Buffer.from(
    text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole),
    "latin1",
  );
}
