/**
 * PostgreSQL stores neither NUL nor half a surrogate pair. Requests of clients are rejected for them (see
 * `http/validation.ts`); text of a recognizer, model, tool or peer is repaired instead, so that it is not lost.
 */
export function toStorableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** A JSON value whose texts and names are repaired. */
export function toStorableJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_name, each: unknown) => repair(each)) as Value;
}

function repair(value: unknown): unknown {
  if (typeof value === "string") return toStorableText(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [toStorableText(name), each]));
}

export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
