import { fill, type Texts } from "../texts/wording.ts";
import type { ShownCall } from "../widget-state.ts";
import type { ViewProps } from "./app.tsx";
import { Avatar } from "./header.tsx";
import { HangUpIcon, MicrophoneIcon, MutedIcon, PhoneIcon } from "./icons.tsx";
import { Problem } from "./problem.tsx";
import { Speaker } from "./speaker.tsx";

export function CallView(props: ViewProps) {
  const { settings, wording, state, actions } = props;
  const { call, canResumeCall, problem } = state;
  const { texts } = wording;
  const idle = canResumeCall ? texts.callInterrupted : fill(texts.talkTo, { name: settings.agentName });
  return (
    <>
      <div
        class="call"
        data-state={call?.status === "connected" ? call.agentState : call?.status}
        role="group"
        aria-label={texts.callView}
        tabIndex={0}
      >
        <div class="rings">
          <Avatar url={settings.appearance.avatarUrl} name={settings.agentName} />
        </div>
        <p class="call-state">{call === undefined ? idle : describe(call, texts)}</p>
        {call === undefined && <p class="hint">{texts.microphoneHint}</p>}
        {call !== undefined && <Captions call={call} texts={texts} />}
      </div>
      <Problem {...props} />
      {call === undefined && problem !== undefined && settings.modes.chat && (
        <button type="button" class="write-instead" onClick={() => actions.show("chat")}>
          {texts.writeInstead}
        </button>
      )}
      <div class="call-controls">
        {call === undefined ? (
          <button type="button" class="start-call" data-first onClick={actions.startCall}>
            <PhoneIcon /> {canResumeCall ? texts.continueCall : texts.startCall}
          </button>
        ) : (
          <>
            <button
              type="button"
              class="mute"
              aria-pressed={call.isMuted}
              aria-label={texts.mute}
              disabled={call.status === "connecting"}
              onClick={() => actions.setMuted(!call.isMuted)}
            >
              {call.isMuted ? <MutedIcon /> : <MicrophoneIcon />}
            </button>
            <button
              type="button"
              class="hang-up"
              data-first
              aria-label={texts.hangUp}
              onClick={actions.hangUp}
            >
              <HangUpIcon />
            </button>
          </>
        )}
      </div>
    </>
  );
}

function Captions({ call, texts }: { call: ShownCall; texts: Texts }) {
  return (
    <ul class="captions" aria-label={texts.captions}>
      {call.captions.map(({ id, role, text }) => (
        <li key={id} class={role}>
          <Speaker role={role} texts={texts} />
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}

function describe({ status, agentState, isMuted }: ShownCall, texts: Texts): string {
  if (status === "connecting") return texts.connecting;
  if (status === "reconnecting") return texts.connectionLost;
  return isMuted ? texts.youAreMuted : texts[agentState];
}
