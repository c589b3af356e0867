import { setImmediate } from "node:timers/promises";

/** Items between which other work of the process runs: some milliseconds of work, if one takes 30 µs. */
const SLICE_ITEMS = 200;

/** Handles the items in order. Other work of the process, such as calls, runs after each slice of them. */
export async function forEachInSlices<T>(items: Iterable<T>, handle: (item: T) => void): Promise<void> {
  let handled = 0;
  for (const item of items) {
    handle(item);
    handled += 1;
    if (handled % SLICE_ITEMS === 0) await setImmediate();
  }
}
