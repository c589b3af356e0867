import type { SlotValue } from "./flow-definition.ts";

/** Values by name. Read with `Object.hasOwn`: names come from users. */
export type FlowValues = Readonly<Record<string, SlotValue | null>>;

/** The value of a slot or variable; `undefined` without one. */
export function readValue(values: FlowValues, name: string): SlotValue | undefined {
  return Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
}

/** Replaces `{{name}}` (spaces inside the braces allowed); a name without a value is empty. Values are not rendered again. */
export function renderText(template: string, values: FlowValues): string {
  return template.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (_match, name: string) =>
    String(readValue(values, name) ?? ""),
  );
}

/** Renders a tool's argument. A text that consists of one name gets its value with its type, or `undefined` without one. */
export function renderArgument(argument: SlotValue, values: FlowValues): SlotValue | undefined {
  if (typeof argument !== "string") return argument;
  const whole = /^\{\{\s*([\w.-]+)\s*\}\}$/.exec(argument)?.[1];
  return whole === undefined ? renderText(argument, values) : readValue(values, whole);
}

/** The words of an answer in lower case, without punctuation and accents' variants, joined by single spaces. */
export function wordsOf(text: string): string {
  return (
    text
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}']+/gu) ?? []
  ).join(" ");
}
