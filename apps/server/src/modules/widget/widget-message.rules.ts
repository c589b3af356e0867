import type { TranscriptItem, WidgetMessage } from "@parley/contract";

/** A message of a transcript as a page shows it. */
export function toWidgetMessage(
  { id, role = "agent", text, startMs }: TranscriptItem,
  beganAt: Date,
): WidgetMessage {
  return { id, role, text, createdAt: new Date(beganAt.getTime() + startMs).toISOString() };
}
