/** The page `/widget-preview`, which the dashboard frames: shows the appearance that the dashboard sends to it. */
import type { WidgetSettings } from "@parley/contract";
import { emptyChat } from "./chat/chat.rules.ts";
import { Store } from "./store.ts";
import { english, findLanguage, loadWording } from "./texts/wording.ts";
import { View } from "./view/view.tsx";
import { newState, type WidgetActions, type WidgetState } from "./widget-state.ts";

interface PreviewMessage {
  type: "parley-preview";
  settings: WidgetSettings;
  /** Language of the widget's own texts. */
  language: string;
}

let shown: { state: Store<WidgetState>; view: View } | undefined;
let latest: PreviewMessage | undefined;

addEventListener("message", ({ origin, data }: MessageEvent<unknown>) => {
  if (origin === location.origin && isPreview(data)) void show(data);
});
// The dashboard sends the appearance once the page can show it.
parent.postMessage({ type: "parley-preview-ready" }, location.origin);

function isPreview(data: unknown): data is PreviewMessage {
  return typeof data === "object" && data !== null && "type" in data && data.type === "parley-preview";
}

async function show(message: PreviewMessage): Promise<void> {
  latest = message;
  const { settings, language } = message;
  const wording = await loadWording(findLanguage(language) ?? english.language);
  // The settings have changed again meanwhile.
  if (latest !== message) return;
  const before = shown;
  const fresh = newState(settings);
  // What was opened stays open while the appearance is edited.
  const isOpen = before?.state.value.isOpen ?? true;
  const chat = before?.state.value.chat ?? emptyChat;
  const state = new Store<WidgetState>({ ...fresh, isOpen, takesFocus: false, chat });
  before?.view.remove();
  shown = { state, view: new View(document.body, { settings, wording }, state, createActions(state)) };
}

/** Messages are shown and go nowhere: no agent is asked. */
function createActions(state: Store<WidgetState>): WidgetActions {
  const nothing = (): void => {};
  return {
    open: () => state.update((before) => ({ ...before, isOpen: true })),
    close: () => state.update((before) => ({ ...before, isOpen: false })),
    show: (view) => state.update((before) => ({ ...before, view })),
    send: (text) =>
      state.update((before) => {
        const message = {
          id: String(before.chat.messages.length),
          role: "user" as const,
          text,
          createdAt: "",
          conversationId: undefined,
          delivery: "sent" as const,
        };
        return { ...before, chat: { ...before.chat, messages: [...before.chat.messages, message] } };
      }),
    retry: nothing,
    endChat: nothing,
    startCall: () => state.update((before) => ({ ...before, view: "call" })),
    hangUp: nothing,
    setMuted: nothing,
    dismissProblem: nothing,
  };
}
