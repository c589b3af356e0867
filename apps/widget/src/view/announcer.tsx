import { useEffect, useRef, useState } from "preact/hooks";
import type { Texts } from "../texts/wording.ts";
import type { WidgetState } from "../widget-state.ts";
import type { ViewProps } from "./app.tsx";

/** Reads whole messages and changes of the call to screen readers, not each part of a reply. */
export function Announcer({ settings, wording: { texts }, state }: ViewProps) {
  const [text, setText] = useState("");
  const { chat, call, problem, connection } = state;
  const lastReply = chat.messages.findLast(({ role }) => role === "agent");
  const before = useRef<string | undefined>(undefined);
  const isLoaded = connection === "connected";
  useEffect(() => {
    // Messages of before a reload were read already.
    if (
      isLoaded &&
      lastReply !== undefined &&
      before.current !== lastReply.id &&
      before.current !== undefined
    )
      setText(`${settings.agentName}: ${lastReply.text}`);
    if (isLoaded) before.current = lastReply?.id ?? "";
  }, [lastReply?.id, isLoaded]);
  useEffect(() => {
    if (call !== undefined) setText(describeCall(call.status, texts));
  }, [call?.status]);
  useEffect(() => {
    if (problem !== undefined) setText(problem);
  }, [problem]);
  useEffect(() => {
    if (connection === "reconnecting") setText(texts.connectionLost);
  }, [connection]);
  return (
    <div class="unseen" role="status">
      {text}
    </div>
  );
}

function describeCall(status: NonNullable<WidgetState["call"]>["status"], texts: Texts): string {
  switch (status) {
    case "connecting":
      return texts.connecting;
    case "connected":
      return texts.youAreConnected;
    case "reconnecting":
      return texts.connectionLost;
  }
}
