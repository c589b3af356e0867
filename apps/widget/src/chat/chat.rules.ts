import type { WidgetChat, WidgetEvent, WidgetMessage } from "@parley/contract";

/** Messages that a page keeps. The server sends at most 200 of a conversation. */
export const MAX_SHOWN_MESSAGES = 500;

export interface ShownMessage extends WidgetMessage {
  /** `undefined` for messages that the server has not stored yet. */
  conversationId: string | undefined;
  delivery: "sending" | "sent" | "failed";
}

export interface Chat {
  /** Stored messages in the server's order, then those being sent. */
  messages: readonly ShownMessage[];
  /** Reply that is being written, and the message before it. Later messages of the visitor follow it. */
  reply: { messageId: string; text: string; afterId: string | undefined } | undefined;
  activity: WidgetChat["activity"];
  /** The agent did not answer the last message. */
  hasFailedReply: boolean;
  /** The conversation has ended; the next message begins a new one. */
  isEnded: boolean;
}

export const emptyChat: Chat = {
  messages: [],
  reply: undefined,
  activity: "idle",
  hasFailedReply: false,
  isEnded: false,
};

/** Message that the visitor has written and the server has not confirmed. */
export function addDraft(chat: Chat, id: string, text: string, createdAt: string): Chat {
  const draft: ShownMessage = {
    id,
    role: "user",
    text,
    createdAt,
    conversationId: undefined,
    delivery: "sending",
  };
  return { ...chat, hasFailedReply: false, messages: bound([...chat.messages, draft]) };
}

/** A draft that is sent again, or whose sending failed. Stored messages stay as they are. */
export function markDraft(chat: Chat, id: string, delivery: "sending" | "failed"): Chat {
  return {
    ...chat,
    messages: chat.messages.map((each) =>
      each.id === id && each.conversationId === undefined ? { ...each, delivery } : each,
    ),
  };
}

/** The chat as the server has it, with the drafts that it does not have yet. */
export function loadChat(chat: Chat, loaded: WidgetChat): Chat {
  const { conversationId } = loaded;
  const known = new Set(loaded.messages.map(({ id }) => id));
  // Only earlier conversations and drafts are not in the server's answer.
  const earlier = chat.messages.filter(
    (each) =>
      each.conversationId !== undefined && each.conversationId !== conversationId && !known.has(each.id),
  );
  const drafts = chat.messages.filter((each) => each.conversationId === undefined && !known.has(each.id));
  const stored = loaded.messages.map((message): ShownMessage => ({
    ...message,
    conversationId: conversationId ?? undefined,
    delivery: "sent",
  }));
  return {
    messages: bound([...earlier, ...stored, ...drafts]),
    reply: undefined,
    activity: loaded.activity,
    hasFailedReply: false,
    isEnded: loaded.endReason !== null,
  };
}

/** The chat after an event; the same object if nothing changes, for example after a repetition or for an unknown type. */
export function applyEvent(chat: Chat, event: WidgetEvent): Chat {
  switch (event.type) {
    case "message":
      return addStored(chat, event.message, event.conversationId);
    case "replyPart":
      return addPart(chat, event);
    case "replyDiscarded":
      return chat.reply?.messageId === event.messageId ? { ...chat, reply: undefined } : chat;
    case "replyFailed":
      return { ...chat, reply: undefined, activity: "idle", hasFailedReply: true };
    case "activity":
      return event.activity === chat.activity ? chat : { ...chat, activity: event.activity };
    case "ended":
      return { ...chat, reply: undefined, activity: "idle", isEnded: true };
    default:
      return chat;
  }
}

/** Drops the unfinished reply, which the server repeats on the next stream. */
export function disconnect(chat: Chat): Chat {
  if (chat.reply === undefined && chat.activity === "idle") return chat;
  return { ...chat, reply: undefined, activity: "idle" };
}

function addStored(chat: Chat, message: WidgetMessage, conversationId: string): Chat {
  const isKnown = chat.messages.some((each) => each.id === message.id && each.conversationId !== undefined);
  if (isKnown) return chat;
  const stored: ShownMessage = { ...message, conversationId, delivery: "sent" };
  const others = chat.messages.filter(({ id }) => id !== message.id);
  return {
    ...chat,
    reply: chat.reply?.messageId === message.id ? undefined : chat.reply,
    hasFailedReply: false,
    isEnded: false,
    messages: bound(others.toSpliced(placeOf(stored, others), 0, stored)),
  };
}

/** Index of a stored message among others: before drafts, and before what was written after it began. */
function placeOf({ conversationId, createdAt }: ShownMessage, others: readonly ShownMessage[]): number {
  let place = countStored(others);
  for (; place > 0; place--) {
    const before = others[place - 1];
    if (before?.conversationId !== conversationId || (before?.createdAt ?? "") <= createdAt) return place;
  }
  return place;
}

/** Drafts come last. */
function countStored(messages: readonly ShownMessage[]): number {
  const firstDraft = messages.findIndex(({ conversationId }) => conversationId === undefined);
  return firstDraft === -1 ? messages.length : firstDraft;
}

/** Leaves out the oldest messages beyond the limit. */
function bound(messages: readonly ShownMessage[]): readonly ShownMessage[] {
  return messages.slice(-MAX_SHOWN_MESSAGES);
}

function addPart(chat: Chat, part: Extract<WidgetEvent, { type: "replyPart" }>): Chat {
  const { messageId, offset, text } = part;
  if (chat.messages.some(({ id }) => id === messageId)) return chat;
  const before = chat.reply?.messageId === messageId ? chat.reply : undefined;
  const said = before?.text ?? "";
  // A gap: the whole text follows as a message.
  if (offset > said.length) return chat;
  const afterId = before ? before.afterId : chat.messages[countStored(chat.messages) - 1]?.id;
  return {
    ...chat,
    hasFailedReply: false,
    reply: { messageId, text: said.slice(0, offset) + text, afterId },
  };
}

/** Whether the welcome is shown: the server adds it to a conversation as its first message. */
export function showsWelcome(chat: Chat): boolean {
  return chat.messages.every(({ conversationId }) => conversationId === undefined);
}
