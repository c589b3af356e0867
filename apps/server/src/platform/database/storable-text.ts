/**
 * PostgreSQL stores neither NUL nor half a surrogate pair. Requests of clients are rejected for them (see
 * `http/validation.ts`); text of a recognizer, model, tool or peer is repaired instead, so that it is not lost.
 */
export function toStorableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
