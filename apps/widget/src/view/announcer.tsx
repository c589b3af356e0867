import type { WidgetSettings } from "@parley/contract";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WidgetState } from "../widget-state.ts";

/** Reads whole messages and changes of the call to screen readers, not each part of a reply. */
export function Announcer({ settings, state }: { settings: WidgetSettings; state: WidgetState }) {
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
    if (call !== undefined) setText(describeCall(call.status));
  }, [call?.status]);
  useEffect(() => {
    if (problem !== undefined) setText(problem);
  }, [problem]);
  useEffect(() => {
    if (connection === "reconnecting") setText("Connection lost. Reconnecting.");
  }, [connection]);
  return (
    <div class="unseen" role="status">
      {text}
    </div>
  );
}

function describeCall(status: NonNullable<WidgetState["call"]>["status"]): string {
  switch (status) {
    case "connecting":
      return "Calling.";
    case "connected":
      return "You are connected. Speak now.";
    case "reconnecting":
      return "Connection lost. Reconnecting.";
  }
}
