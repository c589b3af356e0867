import { MAX_INSTRUCTION_CHARACTERS } from "@parley/contract";
import { invalidBody } from "../../platform/app-error.ts";

/** Trims the instruction and checks its length in code points. */
export function readInstruction(instruction: string): string {
  const text = instruction.trim();
  const { length } = Array.from(text);
  if (length >= 1 && length <= MAX_INSTRUCTION_CHARACTERS) return text;
  throw invalidBody("instruction", `must have 1 to ${MAX_INSTRUCTION_CHARACTERS} characters, not ${length}`);
}
