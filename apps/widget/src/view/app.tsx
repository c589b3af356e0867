import type { WidgetSettings } from "@parley/contract";
import { useEffect, useRef } from "preact/hooks";
import { fill, type Wording } from "../texts/wording.ts";
import type { WidgetActions, WidgetState } from "../widget-state.ts";
import { Announcer } from "./announcer.tsx";
import { CallView } from "./call-view.tsx";
import { ChatView } from "./chat-view.tsx";
import { Header } from "./header.tsx";
import { ChatIcon, DownIcon, PhoneIcon } from "./icons.tsx";

/** As in the styles. */
const PHONE = "(max-width: 480px)";

export interface ViewProps {
  settings: WidgetSettings;
  wording: Wording;
  state: WidgetState;
  actions: WidgetActions;
}

export function App(props: ViewProps) {
  const { settings, wording } = props;
  const { position, theme } = settings.appearance;
  return (
    <section
      class="widget"
      aria-label={fill(wording.texts.chatWith, { name: settings.agentName })}
      lang={wording.language}
      dir={wording.direction}
      data-position={position}
      data-theme={theme}
    >
      <Panel {...props} />
      <Launcher {...props} />
      <Announcer {...props} />
    </section>
  );
}

function Launcher({ settings, wording: { texts }, state, actions }: ViewProps) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  const { isOpen, unreadCount } = state;
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const { launcherLabel } = settings.appearance;
  const label = launcherLabel ?? fill(texts.chatWith, { name: settings.agentName });
  const closedLabel = unreadCount === 0 ? label : fill(texts.newMessages, { label, count: unreadCount });
  const Symbol = settings.modes.chat ? ChatIcon : PhoneIcon;
  return (
    <button
      ref={button}
      type="button"
      class="launcher"
      data-labeled={launcherLabel !== null && !isOpen}
      aria-label={isOpen ? texts.close : closedLabel}
      aria-expanded={isOpen}
      aria-haspopup="dialog"
      onClick={isOpen ? actions.close : actions.open}
    >
      {isOpen ? <DownIcon /> : <Symbol />}
      {launcherLabel !== null && !isOpen && <span class="launcher-label">{launcherLabel}</span>}
      {unreadCount > 0 && !isOpen && (
        <span class="badge" aria-hidden="true">
          {unreadCount > 9 ? "9+" : unreadCount}
        </span>
      )}
    </button>
  );
}

/** On a phone a modal dialog over the whole screen; otherwise beside the page, which stays usable. */
function Panel(props: ViewProps) {
  const { settings, state, actions } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const { isOpen, view } = state;
  useEffect(() => {
    const element = dialog.current;
    if (element === null || isOpen === element.open) return;
    if (!isOpen) element.close();
    else if (state.takesFocus && matchMedia(PHONE).matches) element.showModal();
    else if (state.takesFocus) element.show();
    // Without the focus that `show` gives.
    else element.open = true;
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen || !state.takesFocus) return;
    // On a phone the focus of a field would open the keyboard over the chat.
    const target = matchMedia(PHONE).matches && view === "chat" ? ".title" : "[data-first]";
    dialog.current?.querySelector<HTMLElement>(target)?.focus();
  }, [isOpen, view, state.call === undefined]);
  return (
    <dialog
      ref={dialog}
      class="panel"
      aria-labelledby="title"
      onCancel={(event) => {
        event.preventDefault();
        actions.close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.isComposing) return;
        // The page's own dialogs stay open.
        event.stopPropagation();
        event.preventDefault();
        actions.close();
      }}
    >
      <Header {...props} />
      {view === "chat" && settings.modes.chat ? <ChatView {...props} /> : <CallView {...props} />}
    </dialog>
  );
}
