/**
 * PostgreSQL stores neither NUL nor half of a surrogate pair. What clients send is refused for them (see
 * `http/validation.ts`); what a recognizer, a model, a tool or a peer's message said is mended, not lost.
 */
export function toStorableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
