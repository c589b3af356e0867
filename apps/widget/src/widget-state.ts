import type { WidgetSettings } from "@parley/contract";
import { type Chat, emptyChat } from "./chat/chat.rules.ts";

/** What the widget shows. */
export interface WidgetState {
  isOpen: boolean;
  /** Whether an opened panel gets the focus. A preview leaves it in the form beside it. */
  takesFocus: boolean;
  view: "chat" | "call";
  connection: "idle" | "connecting" | "connected" | "reconnecting";
  chat: Chat;
  /** Replies that arrived while the widget was closed. */
  unreadCount: number;
  call: ShownCall | undefined;
  /** A call of this tab was interrupted, and the next one continues it. */
  canResumeCall: boolean;
  /** Last failure in words, with what to do. */
  problem: string | undefined;
}

export interface ShownCall {
  status: "connecting" | "connected" | "reconnecting";
  agentState: "listening" | "thinking" | "speaking";
  isMuted: boolean;
  /** The last words of both sides. */
  captions: readonly { id: string; role: "user" | "agent"; text: string }[];
}

export interface WidgetActions {
  open: () => void;
  close: () => void;
  show: (view: WidgetState["view"]) => void;
  send: (text: string) => void;
  retry: (messageId: string) => void;
  endChat: () => void;
  startCall: () => void;
  hangUp: () => void;
  setMuted: (isMuted: boolean) => void;
  dismissProblem: () => void;
}

export function newState({ modes }: WidgetSettings): WidgetState {
  return {
    isOpen: false,
    takesFocus: true,
    view: modes.chat ? "chat" : "call",
    connection: "idle",
    chat: emptyChat,
    unreadCount: 0,
    call: undefined,
    canResumeCall: false,
    problem: undefined,
  };
}
