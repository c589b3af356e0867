import type { CallDetail, Parley } from "@parley/client";
import { useEffect, useState } from "react";
import { messageOf } from "../../ui/problem.tsx";
import { isComplete } from "./call-record.rules.ts";

const POLL_INTERVAL_MS = 1_000;
/** A recording is made within seconds; a machine that is busy with calls makes it later. */
const MAX_POLLS = 120;

export interface LoadedCallRecord {
  /** `undefined` until it is loaded. */
  call: CallDetail | undefined;
  /** Why it could not be loaded, or is not complete. */
  problem: string | undefined;
}

/** The record of a call: loaded once during the call, and after its end until it is complete. */
export function useCallRecord(parley: Parley, callId: string, hasEnded: boolean): LoadedCallRecord {
  const [record, setRecord] = useState<LoadedCallRecord>({ call: undefined, problem: undefined });
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const load = async (): Promise<void> => {
      for (let polls = 1; !signal.aborted; polls++) {
        const call = await parley.getCall(callId, { signal });
        const isLate = polls >= MAX_POLLS;
        setRecord({ call, problem: isLate ? "The server has not finished the recording yet." : undefined });
        const isEnough = hasEnded ? isComplete(call) : call.answeredAt !== null;
        if (isEnough || isLate) return;
        await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
      }
    };
    load().catch((error: unknown) => {
      if (!signal.aborted) setRecord(({ call }) => ({ call, problem: messageOf(error) }));
    });
    return () => abort.abort();
  }, [parley, callId, hasEnded]);
  return record;
}
