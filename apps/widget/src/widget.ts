import type { WidgetSettings } from "@parley/contract";
import { PageMemory } from "./api/page-memory.ts";
import { type UserToken, VisitorSession } from "./api/visitor-session.ts";
import { WidgetApi } from "./api/widget-api.ts";
import { WidgetError } from "./api/widget-error.ts";
import { CallControl, wasLeftInCall } from "./call/call-control.ts";
import { ChatConnection } from "./chat/chat-connection.ts";
import { reconnectDelayMs } from "./chat/reconnect.rules.ts";
import { Store } from "./store.ts";
import { describeProblem } from "./texts/problems.ts";
import { english, findLanguage, languages, loadWording, type Wording } from "./texts/wording.ts";
import { View } from "./view/view.tsx";
import { newState, type WidgetActions, type WidgetState } from "./widget-state.ts";

const MAX_LOAD_ATTEMPTS = 8;

export interface MountOptions {
  /** Origin of the Parley server, as in `https://voice.example.com`. */
  serverUrl: string;
  /** The agent's `widgetKey`. */
  widgetKey: string;
  /** Signed user id, or a function that returns one. Default: an anonymous visitor. */
  userToken?: UserToken;
  /** Language of the widget's own texts, a BCP 47 tag such as `de`. Default: the agent's language; English if there are no texts in it. */
  language?: string;
  /** Element that contains the widget. @default document.body */
  container?: HTMLElement;
}

export interface WidgetEvents {
  /** The widget is shown. */
  ready: undefined;
  open: undefined;
  close: undefined;
  /** A new message of the chat, of either side. */
  message: { id: string; role: "user" | "agent"; text: string };
  callStarted: { callId: string };
  callEnded: { callId: string; reason: string };
  /** A failure, with a message that was shown to the visitor. */
  error: { code: string; message: string };
}

type Listener<Name extends keyof WidgetEvents> = (event: WidgetEvents[Name]) => void;

/** A widget on a page. */
export class Widget {
  readonly #options: MountOptions;
  readonly #over = new AbortController();
  readonly #listeners = new Map<keyof WidgetEvents, Set<(event: never) => void>>();
  readonly #api: WidgetApi;
  readonly #memory: PageMemory;
  #shown: { state: Store<WidgetState>; actions: WidgetActions; stop: () => void } | undefined;
  #opensWhenReady: boolean;

  /** Called by `mount`. */
  constructor(options: MountOptions) {
    this.#options = options;
    const serverUrl = new URL(options.serverUrl).origin;
    const name = `parley-widget ${serverUrl} ${options.widgetKey}`;
    this.#api = new WidgetApi(serverUrl, options.widgetKey, this.#over.signal);
    this.#memory = new PageMemory(name);
    this.#opensWhenReady = this.#memory.read().isOpen === true;
    void this.#load(name).catch((error: unknown) => this.#reportLoad(error));
  }

  open(): void {
    if (this.#shown === undefined) this.#opensWhenReady = true;
    else this.#shown.actions.open();
  }

  close(): void {
    this.#opensWhenReady = false;
    this.#shown?.actions.close();
  }

  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof WidgetEvents>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Removes the widget, ends its call and closes its connections. The chat stays, and continues on the next page. */
  destroy(): void {
    this.#shown?.stop();
    this.#shown = undefined;
    this.#over.abort();
    this.#listeners.clear();
  }

  async #load(name: string): Promise<void> {
    const settings = await this.#readSettings();
    if (this.#over.signal.aborted || (!settings.modes.chat && !settings.modes.voice)) return;
    const wording = await loadWording(this.#chooseLanguage(settings));
    if (this.#over.signal.aborted) return;
    const session = new VisitorSession(this.#api, name, this.#options.userToken);
    this.#shown = this.#show(settings, wording, session);
    this.#emit("ready", undefined);
    if (this.#opensWhenReady) this.#shown.actions.open();
  }

  async #readSettings(): Promise<WidgetSettings> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#api.settings();
      } catch (error) {
        const isTransient =
          error instanceof WidgetError && ["offline", "busy", "limit_reached"].includes(error.code);
        if (!isTransient || attempt === MAX_LOAD_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, reconnectDelayMs(attempt, Math.random())));
        this.#over.signal.throwIfAborted();
      }
    }
  }

  #chooseLanguage(settings: WidgetSettings): Wording["language"] {
    const { language: wanted } = this.#options;
    const chosen = wanted === undefined ? undefined : findLanguage(wanted);
    if (wanted !== undefined && chosen === undefined)
      // oxlint-disable-next-line no-console -- for the owner of the page
      console.warn(
        `Parley: the widget has no texts in ${JSON.stringify(wanted)}, only in ${languages.join(", ")}.`,
      );
    return chosen ?? findLanguage(settings.language) ?? english.language;
  }

  #show(settings: WidgetSettings, wording: Wording, session: VisitorSession) {
    const isResumable = settings.continuity.resumeCalls;
    const canResumeCall = isResumable && settings.modes.voice && wasLeftInCall(this.#memory, Date.now());
    const fresh = newState(settings);
    // After a reload in a call its view is shown again, because a call needs a press of its button.
    const state = new Store({ ...fresh, canResumeCall, view: canResumeCall ? "call" : fresh.view });
    const onProblem = (error: unknown): void => this.#reportProblem(state, wording, error);
    const chat = new ChatConnection({
      api: this.#api,
      session,
      memory: this.#memory,
      state,
      onProblem,
      onMessage: ({ id, role, text }) => {
        if (role === "agent" && !state.value.isOpen)
          state.update((before) => ({ ...before, unreadCount: before.unreadCount + 1 }));
        this.#emit("message", { id, role, text });
      },
    });
    const call = new CallControl({
      api: this.#api,
      session,
      memory: this.#memory,
      state,
      isResumable,
      onProblem,
      onStarted: (callId) => this.#emit("callStarted", { callId }),
      onEnded: (end) => this.#emit("callEnded", end),
    });
    const actions = this.#createActions(settings, state, chat, call);
    const view = new View(this.#options.container ?? document.body, { settings, wording }, state, actions);
    if (settings.modes.chat) chat.resume();
    const stop = (): void => {
      call.hangUp();
      chat.stop();
      view.remove();
    };
    return { state, actions, stop };
  }

  #createActions(
    settings: WidgetSettings,
    state: Store<WidgetState>,
    chat: ChatConnection,
    call: CallControl,
  ): WidgetActions {
    const setOpen = (isOpen: boolean): void => {
      if (state.value.isOpen === isOpen) return;
      this.#memory.write({ isOpen });
      state.update((before) => ({ ...before, isOpen, unreadCount: isOpen ? 0 : before.unreadCount }));
      if (isOpen && settings.modes.chat) chat.follow();
      this.#emit(isOpen ? "open" : "close", undefined);
    };
    return {
      open: () => setOpen(true),
      close: () => setOpen(false),
      show: (view) => state.update((before) => ({ ...before, view, problem: undefined })),
      send: (text) => chat.send(text),
      retry: (id) => chat.retry(id),
      endChat: () => void chat.end(),
      startCall: () => call.start(),
      hangUp: () => {
        call.hangUp();
        if (settings.modes.chat) state.update((before) => ({ ...before, view: "chat" }));
      },
      setMuted: (isMuted) => call.setMuted(isMuted),
      dismissProblem: () => state.update((before) => ({ ...before, problem: undefined })),
    };
  }

  #emit<Name extends keyof WidgetEvents>(name: Name, event: WidgetEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as Listener<Name>)(event);
      } catch (error) {
        // A fault of the page must not stop the widget.
        reportError(error);
      }
    }
  }

  #reportProblem(state: Store<WidgetState>, wording: Wording, error: unknown): void {
    if (this.#over.signal.aborted) return;
    const { code, message } = describeProblem(error, wording);
    state.update((before) => ({ ...before, problem: message }));
    this.#emit("error", { code, message });
  }

  /** The owner of the page reads the reason in the console; visitors see no widget. */
  #reportLoad(error: unknown): void {
    if (this.#over.signal.aborted) return;
    const { code, message } = describeProblem(error, english);
    const detail = error instanceof WidgetError ? explainDetail(error.cause) : "";
    // oxlint-disable-next-line no-console -- there is no widget yet that could show it
    console.warn(`Parley: the widget is not shown. ${detail || message}`);
    this.#emit("error", { code, message });
  }
}

/** The server's own message. */
function explainDetail(body: unknown): string {
  try {
    const { message } = JSON.parse(String(body)) as { message?: string };
    return message ?? "";
  } catch {
    return "";
  }
}
