import { ApiError, type Organization, Parley } from "@parley/client";
import type { CurrentSession } from "@parley/contract";
import { QueryCache, QueryClient, QueryClientProvider, queryOptions, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { storeKey, storedKey, takeFragment } from "./api-key.ts";
import { auth, type AuthSettings } from "./auth.ts";

const STALE_MS = 5_000;
const KEY_REFUSED = "The server does not accept this key. A valid API key is required.";

/** The server is being asked who is signed in. */
interface Unknown {
  state: "unknown";
}

export interface SignedOut {
  state: "signed-out";
  /** Why a session that was there before has ended. */
  problem: string | undefined;
  signInWithKey: (apiKey: string) => void;
  /** Asks the server who is signed in, after a sign-in. */
  refresh: () => Promise<void>;
}

interface SignedIn {
  state: "signed-in";
  parley: Parley;
  /** User, role and organizations; `undefined` with an API key. */
  identity: CurrentSession | undefined;
  signOut: () => void;
  /** Asks the server for the user, role and organizations again. */
  refresh: () => Promise<void>;
}

export type Session = Unknown | SignedOut | SignedIn;

/** Who is signed in. An API key of this tab comes first; `identity` is `null` without a session cookie. */
interface Credentials {
  apiKey: string | undefined;
  identity: CurrentSession | null | undefined;
  problem: string | undefined;
}

/** Address of the API of the server that served the page. */
export const apiUrl = `${location.origin}/v1`;

const link = takeFragment();
if (link.apiKey !== undefined) storeKey(link.apiKey);

/** The agent that the link to this page names. */
export const linkedAgentId = link.agentId;

/** The token of the link to this page: of a sign-up, an invitation or a forgotten password. */
export const linkedToken = link.token;

const SessionContext = createContext<Session | undefined>(undefined);

/** Who is signed in, and the client that speaks for them. What was loaded for one session is unknown to the next. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [credentials, setCredentials] = useState<Credentials>({
    apiKey: link.apiKey ?? storedKey(),
    identity: undefined,
    problem: undefined,
  });
  const refresh = useCallback(async (): Promise<void> => {
    const found = await readIdentity();
    setCredentials((now) => ({ ...now, ...found }));
  }, []);
  const { apiKey, problem, identity } = credentials;
  useEffect(() => {
    if (apiKey === undefined && identity === undefined) void refresh();
  }, [apiKey, identity, refresh]);
  const session = useMemo((): Session => {
    const leave = (reason?: string): void => {
      storeKey(undefined);
      setCredentials({ apiKey: undefined, identity: null, problem: reason });
    };
    if (apiKey !== undefined)
      return {
        state: "signed-in",
        parley: new Parley({ baseUrl: apiUrl, apiKey }),
        identity: undefined,
        signOut: leave,
        refresh,
      };
    if (identity === undefined) return { state: "unknown" };
    if (identity === null) {
      const signInWithKey = (key: string): void => {
        storeKey(key);
        setCredentials({ apiKey: key, identity: null, problem: undefined });
      };
      return { state: "signed-out", problem, signInWithKey, refresh };
    }
    const signOut = (): void => void auth("POST", "/sign-out", {}).then(() => leave(), refresh);
    return { state: "signed-in", parley: new Parley({ baseUrl: apiUrl }), identity, signOut, refresh };
  }, [apiKey, problem, identity, refresh]);
  const queryClient = useQueryClientOf(session, setCredentials);
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </SessionContext>
  );
}

/** A new one for each organization, user and key. */
function useQueryClientOf(session: Session, setCredentials: (credentials: Credentials) => void): QueryClient {
  const parley = session.state === "signed-in" ? session.parley : undefined;
  const isKeyed = session.state === "signed-in" && session.identity === undefined;
  return useMemo(() => {
    const onError = (error: unknown): void => {
      if (!isSessionRefused(error)) return;
      storeKey(undefined);
      setCredentials({ apiKey: undefined, identity: null, problem: isKeyed ? KEY_REFUSED : error.message });
    };
    // The client itself repeats requests that may be repeated.
    const defaultOptions = { queries: { retry: false, staleTime: STALE_MS }, mutations: { retry: false } };
    return parley === undefined
      ? new QueryClient()
      : new QueryClient({ queryCache: new QueryCache({ onError }), defaultOptions });
  }, [parley, isKeyed, setCredentials]);
}

async function readIdentity(): Promise<Pick<Credentials, "identity" | "problem">> {
  try {
    // A refused request would be an error in the browser's console.
    const { isSignedIn } = await auth<AuthSettings>("GET", "/settings");
    return {
      identity: isSignedIn ? await auth<CurrentSession>("GET", "/session") : null,
      problem: undefined,
    };
  } catch (error) {
    return { identity: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** An error in words for a person whose key is refused: the API's own names headers and cookies. */
export function explainKeyError(error: unknown): unknown {
  return isSessionRefused(error) ? KEY_REFUSED : error;
}

function isSessionRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("no SessionProvider around this component");
  return session;
}

function useSignedIn(): SignedIn {
  const session = useSession();
  if (session.state !== "signed-in") throw new Error("nobody is signed in");
  return session;
}

/** The client of the API, for pages that only somebody signed in sees. */
export function useParley(): Parley {
  return useSignedIn().parley;
}

/** User, role and organizations; `undefined` with an API key. */
export function useIdentity(): CurrentSession | undefined {
  return useSignedIn().identity;
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
