import { readEvents } from "@parley/client/events";
import type { WidgetEvent } from "@parley/contract";
import type { PageMemory, UnsentMessage } from "../api/page-memory.ts";
import type { VisitorSession } from "../api/visitor-session.ts";
import type { WidgetApi } from "../api/widget-api.ts";
import { WidgetError } from "../api/widget-error.ts";
import type { Store } from "../store.ts";
import type { WidgetState } from "../widget-state.ts";
import { addDraft, applyEvent, disconnect, loadChat, markDraft } from "./chat.rules.ts";
import { reconnectDelayMs } from "./reconnect.rules.ts";

/** The server refuses these until the page or the agent is changed. */
const finalCodes: ReadonlySet<string> = new Set(["page_not_allowed", "not_available", "refused"]);
const MAX_SEND_ATTEMPTS = 3;
/** Messages that were not sent before a reload are sent after it; older ones only if the visitor asks for it. */
const MAX_RESENT_AGE_MS = 60_000;
const MAX_UNSENT = 20;
/** Time between attempts while the browser is offline. The next one is made as soon as it is back. */
const OFFLINE_PAUSE_MS = 5 * 60_000;

interface Dependencies {
  api: WidgetApi;
  session: VisitorSession;
  memory: PageMemory;
  state: Store<WidgetState>;
  /** Called with each stored message that was not there when the page was loaded. */
  onMessage: (message: Extract<WidgetEvent, { type: "message" }>["message"]) => void;
  onProblem: (error: unknown) => void;
}

/** The visitor's chat: loads it, follows its events, and sends messages in the order in which they were written. */
export class ChatConnection {
  readonly #deps: Dependencies;
  #following: AbortController | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(dependencies: Dependencies) {
    this.#deps = dependencies;
  }

  /** Connects and stays connected. Without effect if it already is. */
  follow(): void {
    if (this.#following !== undefined) return;
    const following = new AbortController();
    this.#following = following;
    void this.#follow(following.signal)
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        if (this.#following === following) this.stop();
      });
  }

  /** Shows the messages that the page before this one could not send, and sends the recent ones. */
  resume(): void {
    const { memory, state } = this.#deps;
    for (const { id, text, createdAt } of memory.read().unsent ?? []) {
      const isRecent = Date.now() - Date.parse(createdAt) < MAX_RESENT_AGE_MS;
      state.update((before) => {
        const chat = addDraft(before.chat, id, text, createdAt);
        return { ...before, chat: isRecent ? chat : markDraft(chat, id, "failed") };
      });
      if (isRecent) this.#queue(id, text);
    }
  }

  stop(): void {
    this.#following?.abort();
    this.#following = undefined;
    this.#deps.state.update((state) => ({ ...state, connection: "idle", chat: disconnect(state.chat) }));
  }

  /** Sends a message. It is shown at once, and marked if it could not be sent. */
  send(text: string): void {
    const id = crypto.randomUUID?.() ?? randomId();
    const createdAt = new Date().toISOString();
    this.#deps.state.update((state) => ({
      ...state,
      problem: undefined,
      chat: addDraft(state.chat, id, text, createdAt),
    }));
    const { memory } = this.#deps;
    memory.write({ unsent: [...(memory.read().unsent ?? []), { id, text, createdAt }].slice(-MAX_UNSENT) });
    this.#queue(id, text);
  }

  retry(id: string): void {
    const draft = this.#deps.state.value.chat.messages.find((each) => each.id === id);
    if (draft?.delivery !== "failed") return;
    this.#deps.state.update((state) => ({
      ...state,
      problem: undefined,
      chat: markDraft(state.chat, id, "sending"),
    }));
    this.#queue(id, draft.text);
  }

  async end(): Promise<void> {
    const { api, session } = this.#deps;
    try {
      await session.use(async (token) => await api.endChat(token));
    } catch (error) {
      this.#report(error);
    }
  }

  #queue(id: string, text: string): void {
    this.follow();
    this.#sending = this.#sending.then(async () => await this.#send(id, text));
  }

  async #send(id: string, text: string): Promise<void> {
    const { api, session, state } = this.#deps;
    for (let attempt = 1; ; attempt++) {
      try {
        await session.use(async (token) => await api.send(token, { id, text }));
        this.#forgetUnsent(({ id: unsentId }) => unsentId === id);
        return;
      } catch (error) {
        const isTransient = error instanceof WidgetError && ["offline", "busy"].includes(error.code);
        if (isTransient && attempt < MAX_SEND_ATTEMPTS) {
          // The id makes a repetition harmless.
          await pause(navigator.onLine ? reconnectDelayMs(attempt, Math.random()) : OFFLINE_PAUSE_MS);
          continue;
        }
        state.update((before) => ({ ...before, chat: markDraft(before.chat, id, "failed") }));
        this.#report(error);
        return;
      }
    }
  }

  #forgetUnsent(isStored: (message: UnsentMessage) => boolean): void {
    const { memory } = this.#deps;
    const { unsent = [] } = memory.read();
    const left = unsent.filter((each) => !isStored(each));
    if (left.length < unsent.length) memory.write({ unsent: left });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { state } = this.#deps;
    for (let failures = 0; !signal.aborted;) {
      await whenVisible(signal);
      state.update((before) => ({
        ...before,
        connection: failures === 0 && before.connection === "idle" ? "connecting" : before.connection,
      }));
      try {
        await this.#followOnce(signal, () => (failures = 0));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof WidgetError && finalCodes.has(error.code)) throw error;
        failures++;
      }
      if (signal.aborted) return;
      state.update((before) => ({
        ...before,
        chat: disconnect(before.chat),
        connection: failures === 0 ? before.connection : "reconnecting",
      }));
      await pause(reconnectDelayMs(failures, Math.random()), signal);
    }
  }

  async #followOnce(signal: AbortSignal, onConnected: () => void): Promise<void> {
    const { api, session, state, onMessage } = this.#deps;
    const chat = await session.use(async (token) => await api.chat(token));
    if (signal.aborted) return;
    const isFirst = state.value.connection === "connecting";
    const known = new Set(state.value.chat.messages.map(({ id }) => id));
    this.#forgetUnsent(({ id }) => chat.messages.some((each) => each.id === id));
    state.update((before) => ({ ...before, chat: loadChat(before.chat, chat) }));
    for (const message of chat.messages) if (!isFirst && !known.has(message.id)) onMessage(message);
    const { lastEventId } = chat;
    const { body } = await session.use(async (token) => await api.openEvents(token, lastEventId, signal));
    if (body === null) return;
    onConnected();
    state.update((before) => ({ ...before, connection: "connected" }));
    const cut = new AbortController();
    const isOver = AbortSignal.any([signal, cut.signal]);
    // A connection that is gone would be noticed only by its silence.
    addEventListener("offline", () => cut.abort(), { signal: isOver });
    try {
      for await (const { data } of readEvents(body, isOver)) this.#receive(data);
      if (cut.signal.aborted) throw new WidgetError("offline");
    } finally {
      cut.abort();
    }
  }

  #receive(data: string): void {
    const event = JSON.parse(data) as WidgetEvent;
    const { state, onMessage } = this.#deps;
    const before = state.value.chat;
    state.update((value) => ({ ...value, chat: applyEvent(value.chat, event) }));
    if (event.type === "message" && state.value.chat !== before) onMessage(event.message);
  }

  #report(error: unknown): void {
    this.#deps.onProblem(error);
  }
}

/** Pages in the background do not take streams from each other: a visitor has at most five. */
async function whenVisible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === "visible") return;
  await new Promise<void>((resolve) => {
    const stop = new AbortController();
    const finish = (): void => {
      stop.abort();
      resolve();
    };
    const check = (): void => {
      if (document.visibilityState === "visible") finish();
    };
    document.addEventListener("visibilitychange", check, { signal: stop.signal });
    signal.addEventListener("abort", finish, { signal: stop.signal });
  });
}

/** Ends early when the browser is online again, or when aborted. */
async function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = new AbortController();
    const finish = (): void => {
      clearTimeout(timer);
      stop.abort();
      resolve();
    };
    const timer = setTimeout(finish, durationMs);
    addEventListener("online", finish, { signal: stop.signal });
    signal?.addEventListener("abort", finish, { signal: stop.signal });
  });
}

/** A random UUID, for pages loaded over plain HTTP, which lack `crypto.randomUUID`. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
