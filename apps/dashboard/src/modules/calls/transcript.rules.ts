import type { TranscriptItem } from "@parley/client";

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
