import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ViewProps } from "./app.tsx";
import { ChatIcon, CloseIcon, EndIcon, PhoneIcon } from "./icons.tsx";

export function Header({ settings, state, actions }: ViewProps) {
  const { modes, agentName, appearance } = settings;
  const { view, call, chat } = state;
  const canEnd = view === "chat" && !chat.isEnded && chat.messages.some(({ role }) => role === "user");
  return (
    <header class="header">
      <Avatar url={appearance.avatarUrl} name={agentName} />
      <div class="heading">
        <h2 class="title" id="title" tabIndex={-1}>
          {agentName}
        </h2>
        <p class="status">{describe(state)}</p>
      </div>
      {canEnd && (
        <IconButton label="End this chat" onClick={actions.endChat}>
          <EndIcon />
        </IconButton>
      )}
      {modes.chat && modes.voice && view === "chat" && call === undefined && (
        <IconButton label="Call" onClick={actions.startCall}>
          <PhoneIcon />
        </IconButton>
      )}
      {modes.chat && view === "call" && (
        <IconButton label="Write" onClick={() => actions.show("chat")}>
          <ChatIcon />
        </IconButton>
      )}
      <IconButton label="Close" onClick={actions.close}>
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

function describe({ call, chat, connection }: ViewProps["state"]): string {
  if (call !== undefined) return call.status === "connected" ? "In a call" : "Connecting …";
  if (connection === "reconnecting") return "Reconnecting …";
  if (chat.activity === "writing") return "Writing …";
  if (chat.activity === "working") return "Looking something up …";
  return "AI assistant";
}
