import { MAX_JSON_VALUES, type PreCallAnswer, preCallAnswerSchema } from "@parley/contract";
import { Compile } from "typebox/compile";
import { toStorableText } from "../../platform/database/storable-text.ts";
import { hasMoreValues } from "../../platform/http/json-values.ts";
import type { OutboundAnswer } from "../../platform/outbound-http/outbound-client.ts";

export interface PreCallReading {
  answer: PreCallAnswer;
  /** Parts of the answer that were not usable; empty if all were. */
  problems: string[];
}

const isAnswer = Compile(preCallAnswerSchema);
const known = Object.keys(preCallAnswerSchema.properties);
/** Maximum number of problems in the transcript, which lists what was not usable. */
const MAX_NAMED = 20;
const MAX_NAMED_CHARACTERS = 200;

/**
 * Reads the server's answer. It may lack known fields and contain unknown ones: each usable field applies, and each
 * other field is reported. An empty answer is valid.
 */
export function readPreCallAnswer({ status, body, isCut }: OutboundAnswer): PreCallReading {
  if (status < 200 || status >= 300) return nothing(`HTTP status ${status}`);
  if (isCut) return nothing("the answer has more than 1 MiB");
  const text = new TextDecoder().decode(body);
  if (text.trim() === "") return { answer: {}, problems: [] };
  if (hasMoreValues(text, MAX_JSON_VALUES))
    return nothing(`the answer has more than ${MAX_JSON_VALUES} values`);
  const value = parse(text);
  if (!isRecord(value)) return nothing("the answer is not a JSON object");
  const answer: Record<string, unknown> = {};
  const problems = new Problems();
  for (const [name, given] of Object.entries(value)) {
    if (given === null) continue;
    const field = name === "reject" ? readRejection(given) : toStorable(given);
    if (!known.includes(name)) problems.add(`${name} is not a known field`);
    else if (name === "variables" && isRecord(field)) answer[name] = takeVariables(field, problems);
    else if (isUsable({ [name]: field })) answer[name] = field;
    else problems.add(`${name} is invalid`);
  }
  return { answer: isAnswer.Check(answer) ? answer : {}, problems: problems.named };
}

/** Lists the first problems and counts the others. */
class Problems {
  readonly #first: string[] = [];
  #others = 0;

  add(problem: string): void {
    if (this.#first.length < MAX_NAMED)
      this.#first.push(toStorableText(problem.slice(0, MAX_NAMED_CHARACTERS)));
    else this.#others++;
  }

  get named(): string[] {
    return this.#others === 0 ? this.#first : [...this.#first, `${this.#others} more problems`];
  }
}

/** Takes each variable on its own: an unusable one does not affect the others. */
function takeVariables(given: Record<string, unknown>, problems: Problems): Record<string, unknown> {
  const taken: [string, unknown][] = [];
  for (const [name, field] of Object.entries(given)) {
    const value = toStorable(field);
    if (isUsable({ variables: { [name]: value } })) taken.push([name, value]);
    else problems.add(`variables.${name} is invalid`);
  }
  return Object.fromEntries(taken);
}

/** Returns only the reason of a rejection object. */
function readRejection(given: unknown): unknown {
  if (!isRecord(given)) return given;
  return given["reason"] === undefined ? {} : { reason: toStorable(given["reason"]) };
}

/** Converts a text to one that the database accepts; returns other values unchanged. */
function toStorable(field: unknown): unknown {
  return typeof field === "string" ? toStorableText(field) : field;
}

function isUsable(answer: Record<string, unknown>): boolean {
  return isAnswer.Check(answer);
}

function nothing(problem: string): PreCallReading {
  return { answer: {}, problems: [problem] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
