import type { WidgetSession } from "@parley/contract";
import type { WidgetApi } from "./widget-api.ts";
import { WidgetError } from "./widget-error.ts";

/** Returns a signed user id, which the page's own server makes. */
export type UserToken = string | (() => string | Promise<string>);

/** The visitor's session, stored so that a reload continues it, and renewed when the server refuses it. */
export class VisitorSession {
  readonly #api: WidgetApi;
  readonly #storageKey: string;
  readonly #userToken: UserToken | undefined;
  #session: WidgetSession | undefined;
  #starting: Promise<WidgetSession> | undefined;
  #isConfirmed = false;

  constructor(api: WidgetApi, storageKey: string, userToken: UserToken | undefined) {
    this.#api = api;
    this.#storageKey = storageKey;
    this.#userToken = userToken;
    this.#session = readStored(storageKey);
  }

  /** Runs an operation with the session's token; once more with a new session if the token is refused. */
  async use<T>(operation: (token: string) => Promise<T>): Promise<T> {
    const { sessionToken } = await this.#current();
    try {
      return await operation(sessionToken);
    } catch (error) {
      if (!(error instanceof WidgetError) || error.status !== 401) throw error;
      if (this.#session?.sessionToken === sessionToken) this.#isConfirmed = false;
      return await operation((await this.#current()).sessionToken);
    }
  }

  /** Whether a session has expired is the server's to say: the browser's clock can be wrong. */
  async #current(): Promise<WidgetSession> {
    const session = this.#session;
    // The first use on a page starts the session anew with its token: the user may have changed.
    if (session !== undefined && this.#isConfirmed) return session;
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return await this.#starting;
  }

  async #start(): Promise<WidgetSession> {
    const userToken = typeof this.#userToken === "function" ? await this.#userToken() : this.#userToken;
    return await exclusively(this.#storageKey, async () => {
      // Another tab may have started one since this page was loaded.
      const known = readStored(this.#storageKey) ?? this.#session;
      const session = await this.#api.startSession({
        sessionToken: known?.sessionToken ?? null,
        userToken: userToken ?? null,
      });
      this.#session = session;
      this.#isConfirmed = true;
      store(this.#storageKey, session);
      return session;
    });
  }
}

/** Tabs that start sessions at the same time do it one after another, and become one visitor. */
async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Pages over plain HTTP have no locks.
  if (!("locks" in navigator)) return await work();
  try {
    return await navigator.locks.request(name, work);
  } catch (error) {
    const isRefused = error instanceof DOMException && error.name === "SecurityError";
    // Browsers that refuse storage refuse locks too.
    if (isRefused) return await work();
    throw error;
  }
}

function readStored(key: string): WidgetSession | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    const isSession = typeof stored === "object" && stored !== null && "sessionToken" in stored;
    return isSession ? (stored as WidgetSession) : undefined;
  } catch {
    // Browsers can refuse storage, for example in private windows.
    return undefined;
  }
}

function store(key: string, session: WidgetSession): void {
  try {
    localStorage.setItem(key, JSON.stringify(session));
  } catch {
    // The chat lasts until the page is left.
  }
}
