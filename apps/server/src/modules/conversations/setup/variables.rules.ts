import type { builtInVariables, VariableValue, Variables } from "@parley/contract";
import { formatDateTime } from "../../../platform/timezone.ts";

export interface RenderedTemplate {
  text: string;
  /** Names without a variable, each once; they render as empty text. */
  unknownNames: string[];
}

/**
 * Replaces `{{name}}` (spaces inside the braces allowed) with the variable's value as text. Values are not
 * rendered again.
 */
export function renderTemplate(template: string, variables: Variables): RenderedTemplate {
  const unknownNames = new Set<string>();
  const text = template.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (_match, name: string) => {
    if (Object.hasOwn(variables, name)) return toText(variables[name]);
    unknownNames.add(name);
    return "";
  });
  return { text, unknownNames: [...unknownNames] };
}

/** Returns a variable's value as it appears in a text; null is empty. */
export function toText(value: VariableValue | undefined): string {
  return value === undefined || value === null ? "" : String(value);
}

export interface ConversationFacts {
  /** `null` for a conversation without a call. */
  callId: string | null;
  /** `null` for a withheld number and for web calls. */
  fromNumber: string | null;
  toNumber: string | null;
  direction: "inbound" | "outbound";
  /** IANA name; the time zone of `current_time`. */
  timezone: string;
  now: Date;
}

/** Returns the variables that Parley sets in every conversation; empty if a fact is missing. */
export function setBuiltInVariables(facts: ConversationFacts): Record<keyof typeof builtInVariables, string> {
  const currentTime = formatDateTime(facts.now, facts.timezone, "full");
  return {
    call_id: facts.callId ?? "",
    from_number: facts.fromNumber ?? "",
    to_number: facts.toNumber ?? "",
    direction: facts.direction,
    current_time: `${currentTime} (${facts.timezone})`,
  };
}
