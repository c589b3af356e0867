import { ApiError, type Organization, Parley } from "@parley/client";
import { QueryCache, QueryClient, QueryClientProvider, queryOptions, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { storeKey, storedKey, takeFragment } from "./api-key.ts";

const STALE_MS = 5_000;

export interface SignedOut {
  state: "signed-out";
  /** Why a session that was there before has ended. */
  problem: string | undefined;
  signInWithKey: (apiKey: string) => void;
}

interface SignedIn {
  state: "signed-in";
  parley: Parley;
  signOut: () => void;
}

export type Session = SignedOut | SignedIn;

/** Address of the API of the server that served the page. */
export const apiUrl = `${location.origin}/v1`;

const link = takeFragment();
if (link.apiKey !== undefined) storeKey(link.apiKey);

/** The agent that the link to this page names. */
export const linkedAgentId = link.agentId;

const SessionContext = createContext<Session | undefined>(undefined);

/** Who is signed in, and the client that speaks for them. What was loaded for one session is unknown to the next. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [apiKey, setApiKey] = useState(link.apiKey ?? storedKey());
  const [problem, setProblem] = useState<string>();
  const change = useCallback((key: string | undefined, reason?: string) => {
    storeKey(key);
    setApiKey(key);
    setProblem(reason);
  }, []);
  const session = useMemo((): Session => {
    if (apiKey === undefined) return { state: "signed-out", problem, signInWithKey: change };
    return {
      state: "signed-in",
      parley: new Parley({ baseUrl: apiUrl, apiKey }),
      signOut: () => change(undefined),
    };
  }, [apiKey, problem, change]);
  const queryClient = useMemo(() => {
    const onError = (error: unknown): void => {
      if (isSessionRefused(error)) change(undefined, error.message);
    };
    // The client itself repeats requests that may be repeated.
    const defaultOptions = { queries: { retry: false, staleTime: STALE_MS }, mutations: { retry: false } };
    return session.state === "signed-in"
      ? new QueryClient({ queryCache: new QueryCache({ onError }), defaultOptions })
      : new QueryClient();
  }, [session, change]);
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </SessionContext>
  );
}

function isSessionRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("no SessionProvider around this component");
  return session;
}

/** The client of the API, for pages that only somebody signed in sees. */
export function useParley(): Parley {
  const session = useSession();
  if (session.state === "signed-out") throw new Error("nobody is signed in");
  return session.parley;
}

/** The organization that the session works for; `undefined` while it loads. */
export function useOrganization(): Organization | undefined {
  const parley = useParley();
  const { data } = useQuery(
    queryOptions({
      queryKey: ["organization"],
      queryFn: async ({ signal }) => await parley.getOrganization({ signal }),
    }),
  );
  return data;
}
