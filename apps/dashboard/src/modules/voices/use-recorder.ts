import { useEffect, useRef, useState } from "react";
import { decodeSound, MAX_SECONDS } from "./sample-sound.ts";

/** Ends a recording before it is too long. */
const STOP_AFTER_MS = (MAX_SECONDS - 2) * 1000;
const TICK_MS = 200;

type RecorderState =
  | { name: "idle" }
  | { name: "recording"; stream: MediaStream; seconds: number }
  | { name: "decoding" };

/** Records from the microphone without the processing for calls, which would change the voice. */
export function useRecorder(onRecorded: (sound: AudioBuffer) => void, onFailed: (error: unknown) => void) {
  const [state, setState] = useState<RecorderState>({ name: "idle" });
  const stopRef = useRef<() => void>(() => undefined);
  useEffect(() => () => stopRef.current(), []);
  const start = async (): Promise<void> => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
      });
      const startedAtMs = performance.now();
      const recorder = new MediaRecorder(stream);
      const parts: Blob[] = [];
      setState({ name: "recording", stream, seconds: 0 });
      const timer = setInterval(() => {
        const elapsedMs = performance.now() - startedAtMs;
        setState({ name: "recording", stream, seconds: elapsedMs / 1000 });
        if (elapsedMs > STOP_AFTER_MS) stopRef.current();
      }, TICK_MS);
      stopRef.current = () => {
        stopRef.current = () => undefined;
        clearInterval(timer);
        recorder.stop();
        for (const track of stream.getTracks()) track.stop();
      };
      recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
      recorder.addEventListener("stop", () => {
        setState({ name: "decoding" });
        decodeSound(new Blob(parts, { type: recorder.mimeType }))
          .then(onRecorded, onFailed)
          .finally(() => setState({ name: "idle" }));
      });
      recorder.start();
    } catch (error) {
      setState({ name: "idle" });
      onFailed(error);
    }
  };
  return { state, start, stop: () => stopRef.current() };
}
