import type { TranscriptItem } from "@parley/client";

/** JSON with one field per line; other texts unchanged. */
export function readableJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** The last item that begins at or before a position of the recording; items are in the order of their beginnings. */
export function findCurrent(
  items: readonly Pick<TranscriptItem, "id" | "startMs">[],
  positionMs: number,
): string | undefined {
  let [first, end] = [0, items.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if ((items[middle]?.startMs ?? 0) <= positionMs) first = middle + 1;
    else end = middle;
  }
  return items[first - 1]?.id;
}
