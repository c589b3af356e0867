import { type JoinOptions, type WebCall, type WebCallEvents, joinCall, openMicrophone } from "@parley/client";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { messageOf } from "../../ui/problem.tsx";

/** A call as this page is in it. It stays when it has ended, to be read. */
type Joining =
  | { phase: "idle" }
  | { phase: "joining" }
  | { phase: "joined"; call: WebCall; callId: string; startedAtMs: number }
  | { phase: "failed"; message: string };

type JoinableCall = Pick<JoinOptions, "url" | "token"> & { callId: string };

interface WebCallControls {
  joining: Joining;
  /** Takes the microphone, starts a call and joins it; an earlier one has to be over. */
  join: (
    start: (signal: AbortSignal) => Promise<JoinableCall>,
    microphone: string | undefined,
  ) => Promise<void>;
  /** Gives up while the call is being joined. */
  cancel: () => void;
}

/** One call at a time, hung up when the component goes. */
export function useWebCall(): WebCallControls {
  const [joining, setJoining] = useState<Joining>({ phase: "idle" });
  const attempt = useRef<AbortController>(undefined);
  const current = useRef<WebCall>(undefined);
  useEffect(
    () => () => {
      attempt.current?.abort();
      void current.current?.hangUp();
    },
    [],
  );
  const join = useCallback<WebCallControls["join"]>(async (start, microphone) => {
    const abort = new AbortController();
    attempt.current = abort;
    setJoining({ phase: "joining" });
    try {
      const { call, callId } = await startAndJoin(start, microphone, abort.signal);
      current.current = call;
      setJoining({ phase: "joined", call, callId, startedAtMs: Date.now() });
    } catch (error) {
      setJoining(abort.signal.aborted ? { phase: "idle" } : { phase: "failed", message: messageOf(error) });
    }
  }, []);
  const cancel = useCallback(() => attempt.current?.abort(), []);
  return { joining, join, cancel };
}

/** The microphone comes first: where it is refused, there is no call that waits for somebody. */
async function startAndJoin(
  start: (signal: AbortSignal) => Promise<JoinableCall>,
  deviceId: string | undefined,
  signal: AbortSignal,
): Promise<{ call: WebCall; callId: string }> {
  const microphone = await openMicrophone(deviceId);
  try {
    const { callId, url, token } = await start(signal);
    return { callId, call: await joinCall({ url, token, microphone, signal }) };
  } catch (error) {
    for (const track of microphone.getTracks()) track.stop();
    throw error;
  }
}

const watched: readonly (keyof WebCallEvents)[] = ["state", "agentState", "speech", "item", "turn", "ended"];

/** Renders again at each change of the call. */
export function useCallChanges(call: WebCall): void {
  const version = useRef(0);
  const subscribe = useCallback(
    (onChange: () => void) => {
      const ends = watched.map((name) =>
        call.on(name, () => {
          version.current++;
          onChange();
        }),
      );
      return () => {
        for (const end of ends) end();
      };
    },
    [call],
  );
  useSyncExternalStore(subscribe, () => version.current);
}
