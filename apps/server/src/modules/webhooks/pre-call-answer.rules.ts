import { type PreCallAnswer, preCallAnswerSchema } from "@parley/contract";
import { Compile } from "typebox/compile";
import { toStorableText } from "../../platform/database/storable-text.ts";
import type { OutboundAnswer } from "../../platform/outbound-http/outbound-client.ts";

export interface PreCallReading {
  answer: PreCallAnswer;
  /** What of it could not be used; empty: all was. */
  problems: string[];
}

const isAnswer = Compile(preCallAnswerSchema);
const known = new Set<string>(Object.keys(preCallAnswerSchema.properties));

/**
 * What the server wants of the call. It may say less than the schema knows, and more: each thing that is usable counts,
 * and each other is named. No answer at all is one.
 */
export function readPreCallAnswer({ status, body, isCut }: OutboundAnswer): PreCallReading {
  if (status < 200 || status >= 300) return nothing(`HTTP status ${status}`);
  if (isCut) return nothing("the answer is longer than 1 MiB");
  const text = new TextDecoder().decode(body);
  if (text.trim() === "") return { answer: {}, problems: [] };
  const value = parse(text);
  if (!isRecord(value)) return nothing("the answer is not a JSON object");
  const answer: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue;
    if (!known.has(name)) problems.push(`${name} is not known`);
    else if (name === "variables" && isRecord(field)) answer[name] = takeVariables(field, problems);
    else if (isUsable({ [name]: field })) answer[name] = field;
    else problems.push(`${name} cannot be used`);
  }
  return { answer: isAnswer.Check(answer) ? answer : {}, problems };
}

/** Each for itself: one that cannot be used is no reason to do without the others. */
function takeVariables(given: Record<string, unknown>, problems: string[]): Record<string, unknown> {
  const entries = Object.entries(given).filter(([name, value]) => {
    const isTaken = isUsable({ variables: { [name]: value } });
    if (!isTaken) problems.push(`variables.${name} cannot be used`);
    return isTaken;
  });
  return Object.fromEntries(entries);
}

function isUsable(answer: Record<string, unknown>): boolean {
  return isAnswer.Check(answer);
}

function nothing(problem: string): PreCallReading {
  return { answer: {}, problems: [problem] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === "string" ? toStorableText(value) : value,
    );
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
