import type { ShownCall } from "../widget-state.ts";
import type { ViewProps } from "./app.tsx";
import { Avatar } from "./header.tsx";
import { HangUpIcon, MicrophoneIcon, MutedIcon, PhoneIcon } from "./icons.tsx";
import { Problem } from "./problem.tsx";

export function CallView(props: ViewProps) {
  const { settings, state, actions } = props;
  const { call } = state;
  return (
    <>
      <div class="call" data-state={call?.status === "connected" ? call.agentState : call?.status}>
        <div class="rings">
          <Avatar url={settings.appearance.avatarUrl} name={settings.agentName} />
        </div>
        <p class="call-state">{call === undefined ? `Talk to ${settings.agentName}` : describe(call)}</p>
        {call === undefined && <p class="hint">Your browser asks for your microphone.</p>}
        {call !== undefined && <Captions call={call} />}
      </div>
      <Problem {...props} />
      <div class="call-controls">
        {call === undefined ? (
          <button type="button" class="start-call" data-first onClick={actions.startCall}>
            <PhoneIcon /> Start the call
          </button>
        ) : (
          <>
            <button
              type="button"
              class="mute"
              aria-pressed={call.isMuted}
              aria-label="Mute the microphone"
              disabled={call.status === "connecting"}
              onClick={() => actions.setMuted(!call.isMuted)}
            >
              {call.isMuted ? <MutedIcon /> : <MicrophoneIcon />}
            </button>
            <button type="button" class="hang-up" data-first aria-label="Hang up" onClick={actions.hangUp}>
              <HangUpIcon />
            </button>
          </>
        )}
      </div>
    </>
  );
}

function Captions({ call }: { call: ShownCall }) {
  return (
    <ul class="captions" aria-label="Words of the call">
      {call.captions.map(({ id, role, text }) => (
        <li key={id} class={role} dir="auto">
          <span class="unseen">{role === "user" ? "You: " : "Assistant: "}</span>
          {text}
        </li>
      ))}
    </ul>
  );
}

function describe({ status, agentState, isMuted }: ShownCall): string {
  if (status === "connecting") return "Connecting …";
  if (status === "reconnecting") return "Connection lost. Reconnecting …";
  if (isMuted) return "You are muted";
  switch (agentState) {
    case "listening":
      return "Listening";
    case "thinking":
      return "Thinking …";
    case "speaking":
      return "Speaking";
  }
}
