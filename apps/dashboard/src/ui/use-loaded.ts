import { useCallback, useEffect, useState } from "react";

export type Loaded<T> =
  | { state: "loading" }
  | { state: "ready"; value: T }
  | { state: "failed"; message: string; error: unknown };

/**
 * Loads when it is first shown, again when `load` changes (give a `useCallback`) and on `reload`; stops with the component.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> & { reload: () => void } {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setLoaded({ state: "loading" });
    load(abort.signal).then(
      (value) => setLoaded({ state: "ready", value }),
      (error: unknown) => {
        if (!abort.signal.aborted) setLoaded({ state: "failed", message: messageOf(error), error });
      },
    );
    return () => abort.abort();
  }, [load, attempt]);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...loaded, reload };
}

/** Text of a thrown value, for display. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
