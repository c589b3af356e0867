import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Texts } from "../texts/wording.ts";
import type { ViewProps } from "./app.tsx";
import { ChatIcon, CloseIcon, EndIcon, PhoneIcon } from "./icons.tsx";

export function Header({ settings, wording: { texts }, state, actions }: ViewProps) {
  const { modes, agentName, appearance } = settings;
  const { view, call, chat } = state;
  const canEnd = view === "chat" && !chat.isEnded && chat.messages.some(({ role }) => role === "user");
  return (
    <header class="header">
      <Avatar url={appearance.avatarUrl} name={agentName} />
      <div class="heading">
        <h2 class="title" id="title" tabIndex={-1}>
          <bdi>{agentName}</bdi>
        </h2>
        <p class="status">{describe(state, texts)}</p>
      </div>
      {canEnd && (
        <IconButton label={texts.endChat} onClick={actions.endChat}>
          <EndIcon />
        </IconButton>
      )}
      {modes.chat && modes.voice && view === "chat" && call === undefined && (
        <IconButton label={texts.call} onClick={actions.startCall}>
          <PhoneIcon />
        </IconButton>
      )}
      {modes.chat && view === "call" && (
        <IconButton label={texts.write} onClick={() => actions.show("chat")}>
          <ChatIcon />
        </IconButton>
      )}
      <IconButton label={texts.close} onClick={actions.close}>
        <CloseIcon />
      </IconButton>
    </header>
  );
}

/** The agent's picture, or the first letter of its name if there is none or the page does not load it. */
export function Avatar({ url, name }: { url: string | null; name: string }) {
  const [isBroken, setBroken] = useState(false);
  useEffect(() => setBroken(false), [url]);
  return (
    <span class="avatar" aria-hidden="true">
      {url === null || isBroken ? (
        Array.from(name.trim())[0]?.toUpperCase()
      ) : (
        <img src={url} alt="" referrerpolicy="no-referrer" onError={() => setBroken(true)} />
      )}
    </span>
  );
}

interface IconButtonProps {
  label: string;
  onClick: () => void;
  children: ComponentChildren;
}

function IconButton({ label, onClick, children }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  );
}

function describe({ call, chat, connection }: ViewProps["state"], texts: Texts): string {
  if (call !== undefined) return call.status === "connected" ? texts.inCall : texts.connecting;
  if (connection === "reconnecting") return texts.reconnecting;
  return chat.activity === "idle" ? texts.aiAssistant : texts[chat.activity];
}
