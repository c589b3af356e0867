import type { WebCall } from "@parley/client";
import { useEffect, useState } from "react";
import { useLevel } from "../../ui/use-level.ts";
import "./agent-state.css";

const words = { listening: "Listening", thinking: "Thinking", speaking: "Speaking" } as const;

/** What the agent is doing, and since when the call lasts. */
export function AgentState({ call, startedAtMs }: { call: WebCall; startedAtMs: number }) {
  const orb = useLevel<HTMLDivElement>(call.agentStream);
  const isConnected = call.state === "connected";
  return (
    <div className="agent-state" data-state={isConnected ? call.agentState : call.state}>
      <div ref={orb} className="orb" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
      <div>
        <p role="status" className="doing">
          {isConnected ? words[call.agentState] : "Connection lost. Reconnecting…"}
        </p>
        <Duration startedAtMs={startedAtMs} />
      </div>
    </div>
  );
}

function Duration({ startedAtMs }: { startedAtMs: number }) {
  const [nowMs, setNowMs] = useState(startedAtMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <p className="hint duration">{formatDuration(nowMs - startedAtMs)}</p>;
}

/** `61_000` → `1:01`. */
function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
