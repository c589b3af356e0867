import type { ConversationEvent, TranscriptItem } from "@parley/client";

/** What is known of a chat from the events of its stream. */
export interface ChatState {
  items: readonly TranscriptItem[];
  /** Reply that is being written. */
  reply: { messageId: string; text: string } | undefined;
  activity: "idle" | "writing" | "working";
  /** The agent does not answer the messages so far. */
  isFailed: boolean;
  hasEnded: boolean;
}

export const emptyChat: ChatState = {
  items: [],
  reply: undefined,
  activity: "idle",
  isFailed: false,
  hasEnded: false,
};

/** Returns the state after an event. Events may come again after a lost connection. */
export function afterEvent(chat: ChatState, event: ConversationEvent): ChatState {
  switch (event.type) {
    case "item":
      return afterItem(chat, event.item);
    case "replyPart": {
      const { messageId, offset, text } = event;
      const before = chat.reply?.messageId === messageId ? chat.reply.text.slice(0, offset) : "";
      return { ...chat, reply: { messageId, text: before + text } };
    }
    case "replyDiscarded":
      return chat.reply?.messageId === event.messageId ? { ...chat, reply: undefined } : chat;
    case "replyFailed":
      return { ...chat, reply: undefined, isFailed: true };
    case "activity":
      return { ...chat, activity: event.activity };
    case "ended":
      return { ...chat, reply: undefined, activity: "idle", hasEnded: true };
    default:
      return chat;
  }
}

function afterItem(chat: ChatState, item: TranscriptItem): ChatState {
  if (chat.items.some(({ id }) => id === item.id)) return chat;
  const isReply = chat.reply?.messageId === item.id;
  return {
    ...chat,
    items: [...chat.items, item],
    ...(isReply && { reply: undefined }),
    ...(item.role === "user" && { isFailed: false }),
  };
}
