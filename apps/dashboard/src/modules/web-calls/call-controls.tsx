import type { JoinError, WebCall } from "@parley/client";
import { useEffect, useId, useRef, useState } from "react";
import { HangUpIcon, MicrophoneIcon, VolumeIcon } from "../../ui/icons.tsx";
import { messageOf } from "../../ui/problem.tsx";
import { AgentState } from "./agent-state.tsx";
import "./call-controls.css";
import { Keypad } from "./keypad.tsx";
import { LevelMeter, MicrophoneChoice } from "./microphone-choice.tsx";

interface CallControlsProps {
  call: WebCall;
  startedAtMs: number;
  isRecorded: boolean;
  microphone: string | undefined;
  onMicrophone: (deviceId: string | undefined) => void;
}

/** Controls of a call: mute, keys, volume, microphone, hang up. */
export function CallControls({ call, startedAtMs, isRecorded, microphone, onMicrophone }: CallControlsProps) {
  const [isMuted, setMuted] = useState(call.isMuted);
  const [problem, setProblem] = useState<string>();
  const hangUp = useRef<HTMLButtonElement>(null);
  // The button that started the call is gone, and the focus with it.
  useEffect(() => hangUp.current?.focus(), []);
  useEffect(() => call.on("error", ({ message }: JoinError) => setProblem(message)), [call]);
  const choose = async (deviceId: string | undefined): Promise<void> => {
    try {
      await call.setMicrophone(deviceId);
      onMicrophone(deviceId);
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const mute = (): void => {
    call.setMuted(!isMuted);
    setMuted(!isMuted);
  };
  return (
    <div className="call-controls">
      <AgentState call={call} startedAtMs={startedAtMs} isRecorded={isRecorded} />
      <div className="buttons">
        <button type="button" className="button" aria-pressed={isMuted} onClick={mute}>
          <MicrophoneIcon isMuted={isMuted} />
          {isMuted ? "Muted" : "Mute"}
        </button>
        <button ref={hangUp} type="button" className="button danger" onClick={() => void call.hangUp()}>
          <HangUpIcon />
          Hang up
        </button>
      </div>
      <div className="level">
        <MicrophoneIcon isMuted={isMuted} />
        <LevelMeter stream={call.microphoneStream} />
      </div>
      {problem !== undefined && (
        <p role="alert" className="notice error">
          {problem}
        </p>
      )}
      <div className="more">
        <details>
          <summary>Keypad</summary>
          <Keypad onPress={(key) => call.pressKey(key)} />
        </details>
        <details>
          <summary>Sound settings</summary>
          <div className="sound">
            <Volume call={call} />
            <MicrophoneChoice chosen={microphone} onChoose={(deviceId) => void choose(deviceId)} />
          </div>
        </details>
      </div>
    </div>
  );
}

function Volume({ call }: Pick<CallControlsProps, "call">) {
  const id = useId();
  const [volume, setVolume] = useState(call.volume);
  const change = (chosen: number): void => {
    call.setVolume(chosen);
    setVolume(chosen);
  };
  return (
    <div className="level">
      <VolumeIcon />
      <label htmlFor={id} className="hidden-visually">
        Volume of the agent
      </label>
      <input
        id={id}
        type="range"
        min="0"
        max="1"
        step="0.05"
        value={volume}
        onChange={({ target }) => change(target.valueAsNumber)}
      />
    </div>
  );
}
