import { Fragment } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { showsWelcome, type ShownMessage } from "../chat/chat.rules.ts";
import type { ViewProps } from "./app.tsx";
import { Composer } from "./composer.tsx";
import { HangUpIcon } from "./icons.tsx";
import { Problem } from "./problem.tsx";

/** Nearer to the end than this, the list follows new messages. */
const FOLLOW_DISTANCE_PX = 80;

export function ChatView(props: ViewProps) {
  const { state, actions } = props;
  return (
    <>
      {state.call !== undefined && (
        <div class="call-bar">
          <button type="button" class="call-bar-open" onClick={() => actions.show("call")}>
            <span class="pulse" aria-hidden="true" />
            {state.call.status === "connected" ? "In a call: return to it" : "Connecting the call …"}
          </button>
          <button type="button" class="hang-up small" aria-label="Hang up" onClick={actions.hangUp}>
            <HangUpIcon />
          </button>
        </div>
      )}
      <Messages {...props} />
      {state.connection === "reconnecting" && (
        <p class="notice">
          <span class="spinner" aria-hidden="true" />
          {navigator.onLine
            ? "Connection lost. Reconnecting …"
            : "You are offline. Reconnecting when you are back …"}
        </p>
      )}
      <Problem {...props} />
      <Composer {...props} />
    </>
  );
}

function Messages({ settings, state, actions }: ViewProps) {
  const { chat } = state;
  const list = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && isFollowing.current) element.scrollTop = element.scrollHeight;
  });
  const onScroll = (): void => {
    const element = list.current;
    if (element === null) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    isFollowing.current = below < FOLLOW_DISTANCE_PX;
  };
  const { welcomeMessage } = settings.appearance;
  const isWaiting = chat.activity !== "idle" && chat.reply === undefined;
  return (
    <div class="messages" ref={list} onScroll={onScroll} role="group" aria-label="Messages" tabIndex={0}>
      {state.connection === "connecting" && chat.messages.length === 0 && (
        <span class="spinner centered" aria-hidden="true" />
      )}
      {welcomeMessage !== null && showsWelcome(chat) && <Bubble role="agent" text={welcomeMessage} />}
      {chat.messages.map((message, index) => (
        <Fragment key={message.id}>
          {beginsConversation(chat.messages, index) && <p class="divider">New conversation</p>}
          <Bubble role={message.role} text={message.text} />
          {message.delivery === "failed" && (
            <button type="button" class="retry" onClick={() => actions.retry(message.id)}>
              Not sent. Try again
            </button>
          )}
        </Fragment>
      ))}
      {chat.reply !== undefined && <Bubble key={chat.reply.messageId} role="agent" text={chat.reply.text} />}
      {isWaiting && (
        <div class="bubble agent dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </div>
      )}
      {chat.hasFailedReply && (
        <p class="divider">{settings.agentName} could not answer. Write again to try once more.</p>
      )}
      {chat.isEnded && <p class="divider">This chat has ended. Write to begin a new one.</p>}
    </div>
  );
}

/** Text is shown as it is, never as HTML. */
function Bubble({ role, text }: { role: ShownMessage["role"]; text: string }) {
  return (
    <div class={`bubble ${role}`} dir="auto">
      <span class="unseen">{role === "user" ? "You: " : "Assistant: "}</span>
      {text}
    </div>
  );
}

function beginsConversation(messages: readonly ShownMessage[], index: number): boolean {
  const before = messages[index - 1]?.conversationId;
  const own = messages[index]?.conversationId;
  return before !== undefined && own !== undefined && before !== own;
}
