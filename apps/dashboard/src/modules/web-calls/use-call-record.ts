import type { CallDetail } from "@parley/client";
import { useEffect, useState } from "react";

const PAUSE_MS = 300;
const MOST_ATTEMPTS = 30;

/**
 * What is kept of a call that is over. It also holds what was on its way to the browser when the call ended, as the words
 * of the agent that were still heard. Undefined until it is complete.
 *
 * @param load undefined while the call goes on; else the same function at each render.
 */
export function useCallRecord(
  load: ((signal: AbortSignal) => Promise<CallDetail>) | undefined,
): CallDetail | undefined {
  const [record, setRecord] = useState<CallDetail>();
  useEffect(() => {
    if (load === undefined) return;
    const abort = new AbortController();
    loadWhenComplete(load, abort.signal).then(
      (loaded) => !abort.signal.aborted && setRecord(loaded),
      // What was seen of the call stays.
      () => {},
    );
    return () => abort.abort();
  }, [load]);
  return record;
}

async function loadWhenComplete(
  load: (signal: AbortSignal) => Promise<CallDetail>,
  signal: AbortSignal,
): Promise<CallDetail | undefined> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const call = await load(signal);
    if (call.endedAt !== null) return call;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}
