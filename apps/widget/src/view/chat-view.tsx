import { Fragment } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { showsWelcome, type ShownMessage } from "../chat/chat.rules.ts";
import { fill, type Texts } from "../texts/wording.ts";
import type { ViewProps } from "./app.tsx";
import { Composer } from "./composer.tsx";
import { HangUpIcon } from "./icons.tsx";
import { Problem } from "./problem.tsx";
import { Speaker } from "./speaker.tsx";

/** Nearer to the end than this, the list follows new messages. */
const FOLLOW_DISTANCE_PX = 80;

export function ChatView(props: ViewProps) {
  const { state, actions } = props;
  const { texts } = props.wording;
  return (
    <>
      {state.call !== undefined && (
        <div class="call-bar">
          <button type="button" class="call-bar-open" onClick={() => actions.show("call")}>
            <span class="pulse" aria-hidden="true" />
            {state.call.status === "connected" ? texts.returnToCall : texts.connecting}
          </button>
          <button type="button" class="hang-up small" aria-label={texts.hangUp} onClick={actions.hangUp}>
            <HangUpIcon />
          </button>
        </div>
      )}
      <Messages {...props} />
      {state.connection === "reconnecting" && (
        <p class="notice">
          <span class="spinner" aria-hidden="true" />
          {navigator.onLine ? texts.connectionLost : texts.youAreOffline}
        </p>
      )}
      <Problem {...props} />
      <Composer {...props} />
    </>
  );
}

function Messages(props: ViewProps) {
  const { settings, wording, state } = props;
  const { texts } = wording;
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
  const { messages, reply } = chat;
  const replyPlace = reply === undefined ? messages.length : findEnd(messages, reply.afterId);
  // The same elements while a reply is written, so that its parts do not compare the whole list.
  const [earlier, later] = useMemo(
    () => [
      <History {...props} from={0} to={replyPlace} />,
      <History {...props} from={replyPlace} to={messages.length} />,
    ],
    [messages, replyPlace, settings, wording],
  );
  const { welcomeMessage } = settings.appearance;
  const isWaiting = chat.activity !== "idle" && reply === undefined;
  const agent = { role: "agent", language: settings.language, texts } as const;
  return (
    <div
      class="messages"
      ref={list}
      onScroll={onScroll}
      role="group"
      aria-label={texts.messages}
      tabIndex={0}
    >
      {state.connection === "connecting" && messages.length === 0 && (
        <span class="spinner centered" aria-hidden="true" />
      )}
      {welcomeMessage !== null && showsWelcome(chat) && <Bubble {...agent} text={welcomeMessage} />}
      {earlier}
      {reply !== undefined && <Bubble {...agent} text={reply.text} />}
      {later}
      {isWaiting && (
        <div class="bubble agent dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </div>
      )}
      {chat.hasFailedReply && <p class="divider">{fill(texts.noAnswer, { name: settings.agentName })}</p>}
      {chat.isEnded && <p class="divider">{texts.chatEnded}</p>}
    </div>
  );
}

interface HistoryProps extends ViewProps {
  /** Index of the first message to show. */
  from: number;
  /** Index after the last message to show. */
  to: number;
}

function History({ settings, wording: { texts }, state, actions, from, to }: HistoryProps) {
  const { messages } = state.chat;
  return messages.slice(from, to).map(({ id, role, text, delivery }, index) => (
    <Fragment key={id}>
      {beginsConversation(messages, from + index) && <p class="divider">{texts.newConversation}</p>}
      <Bubble role={role} text={text} language={settings.language} texts={texts} />
      {delivery === "failed" && (
        <button type="button" class="retry" onClick={() => actions.retry(id)}>
          {texts.notSent}
        </button>
      )}
    </Fragment>
  ));
}

interface BubbleProps {
  role: ShownMessage["role"];
  text: string;
  /** Language of the conversation, which can differ from that of the widget's own texts. */
  language: string;
  texts: Texts;
}

/** Text is shown as it is, never as HTML. Each message has its own direction. */
function Bubble({ role, text, language, texts }: BubbleProps) {
  return (
    <div class={`bubble ${role}`}>
      <Speaker role={role} texts={texts} />
      <div class="text" dir="auto" lang={role === "agent" ? language : undefined}>
        {text}
      </div>
    </div>
  );
}

/** Index after a message; the end if it is not there. */
function findEnd(messages: readonly ShownMessage[], id: string | undefined): number {
  const index = messages.findIndex((each) => each.id === id);
  return index === -1 ? messages.length : index + 1;
}

function beginsConversation(messages: readonly ShownMessage[], index: number): boolean {
  const before = messages[index - 1]?.conversationId;
  const own = messages[index]?.conversationId;
  return before !== undefined && own !== undefined && before !== own;
}
