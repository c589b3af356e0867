import { type Microphone, listMicrophones, openMicrophone } from "@parley/client";
import { useCallback, useEffect, useId, useState } from "react";
import { useLevel } from "../../ui/use-level.ts";
import { messageOf } from "../../ui/problem.tsx";
import "./microphone-choice.css";

interface MicrophoneChoiceProps {
  /** Undefined: the browser's choice. */
  chosen: string | undefined;
  onChoose: (deviceId: string | undefined) => void;
}

/** The microphones to choose from; follows what is plugged in. */
export function MicrophoneChoice({ chosen, onChoose }: MicrophoneChoiceProps) {
  const id = useId();
  const microphones = useMicrophones();
  return (
    <div className="field">
      <label htmlFor={id}>Microphone</label>
      <select
        id={id}
        className="input"
        value={chosen ?? ""}
        onChange={({ target }) => onChoose(target.value === "" ? undefined : target.value)}
      >
        <option value="">Browser default</option>
        {microphones.map(({ deviceId, label }) => (
          <option key={deviceId} value={deviceId}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Shows whether the microphone hears anything, before it matters. */
export function MicrophoneTest({ deviceId }: { deviceId: string | undefined }) {
  const [stream, setStream] = useState<MediaStream>();
  const [isHeard, setHeard] = useState(false);
  const [problem, setProblem] = useState<string>();
  const stop = useCallback(() => setStream(undefined), []);
  useEffect(() => stop, [deviceId, stop]);
  useEffect(
    () => () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    },
    [stream],
  );
  const start = async (): Promise<void> => {
    setHeard(false);
    setProblem(undefined);
    try {
      setStream(await openMicrophone(deviceId));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <div className="microphone-test">
      <button type="button" className="button" onClick={stream === undefined ? () => void start() : stop}>
        {stream === undefined ? "Test microphone" : "Stop test"}
      </button>
      {stream !== undefined && (
        <LevelMeter stream={stream} onLevel={(level) => level > 0.35 && setHeard(true)} />
      )}
      <p role="status" className="hint">
        {problem ?? (stream === undefined ? "" : isHeard ? "You are heard." : "Say something.")}
      </p>
    </div>
  );
}

interface LevelMeterProps {
  stream: MediaStream;
  onLevel?: (level: number, peak: number) => void;
}

/** How loud a stream is. Says nothing to screen readers: use words beside it. */
export function LevelMeter({ stream, onLevel }: LevelMeterProps) {
  const meter = useLevel<HTMLDivElement>(stream, onLevel);
  return <div ref={meter} className="level-meter" aria-hidden="true" />;
}

function useMicrophones(): readonly Microphone[] {
  const [microphones, setMicrophones] = useState<readonly Microphone[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const list = (): void => {
      listMicrophones().then(
        (found) => !abort.signal.aborted && setMicrophones(found),
        () => {},
      );
    };
    list();
    // Not there on pages that came over plain HTTP.
    const devices = navigator.mediaDevices as MediaDevices | undefined;
    devices?.addEventListener("devicechange", list, { signal: abort.signal });
    return () => abort.abort();
  }, []);
  return microphones;
}
