import type { ConversationEvent, Parley } from "@parley/client";
import { useEffect, useReducer, useState } from "react";
import { messageOf } from "../../ui/problem.tsx";
import { afterEvent, type ChatState, emptyChat } from "./chat-state.rules.ts";

/** The state of a chat as it goes on, and why it cannot be followed any more. */
export function useTestChat(parley: Parley, conversationId: string): ChatState & { problem?: string } {
  const [chat, note] = useReducer(afterEvent, emptyChat);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      const events = parley.streamConversationEvents(conversationId, { signal: leaving.signal });
      for await (const event of events) {
        note(event);
        if (isLast(event)) return;
      }
    };
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) setProblem(messageOf(error));
    });
    return () => leaving.abort();
  }, [parley, conversationId]);
  return { ...chat, ...(problem !== undefined && { problem }) };
}

const isLast = ({ type }: ConversationEvent): boolean => type === "ended";
