import type { Message, Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { MessagesSearch } from "./messages.routes.ts";

/** New messages and reports arrive by themselves. */
const REFRESH_MS = 5_000;
/** Shown in one conversation; the list has the others. */
const MAX_SHOWN = 100;

export function messagesQuery(parley: Parley, { page = 1, ...filter }: MessagesSearch) {
  return queryOptions({
    queryKey: ["messages", "list", page, filter],
    queryFn: async ({ signal }) => await parley.listMessages({ page, ...filter }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** The latest messages of a conversation, oldest first. */
export function threadQuery(parley: Parley, conversationId: string) {
  return queryOptions({
    queryKey: ["messages", "of-conversation", conversationId],
    queryFn: async ({ signal }): Promise<{ messages: Message[]; total: number }> => {
      const { data, total } = await parley.listMessages({ conversationId, pageSize: MAX_SHOWN }, { signal });
      return { messages: data.toReversed(), total };
    },
    refetchInterval: REFRESH_MS,
  });
}
