import { useEffect, useState } from "react";

export type Loaded<T> =
  | { state: "loading" }
  | { state: "ready"; value: T }
  | { state: "failed"; message: string };

/** Loads when it is first shown and again when `load` changes (give a `useCallback`); stops with the component. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  useEffect(() => {
    const abort = new AbortController();
    setLoaded({ state: "loading" });
    load(abort.signal).then(
      (value) => setLoaded({ state: "ready", value }),
      (error: unknown) => {
        if (!abort.signal.aborted) setLoaded({ state: "failed", message: messageOf(error) });
      },
    );
    return () => abort.abort();
  }, [load]);
  return loaded;
}

/** What can be shown of something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
