import type { WebCall } from "@parley/client";
import { useEffect, useState } from "react";
import { useLevel } from "../../ui/use-level.ts";
import "./agent-state.css";
import { formatDuration } from "./call-record.rules.ts";

const words = { listening: "Listening", thinking: "Thinking", speaking: "Speaking" } as const;

interface AgentStateProps {
  call: WebCall;
  startedAtMs: number;
  isRecorded: boolean;
}

/** The agent's state, and the duration of the call. */
export function AgentState({ call, startedAtMs, isRecorded }: AgentStateProps) {
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
        <p className="hint">
          <Duration startedAtMs={startedAtMs} />
          {isRecorded && <span className="recorded">Recording</span>}
        </p>
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
  return <span className="duration">{formatDuration(nowMs - startedAtMs)}</span>;
}
