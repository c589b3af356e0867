import { useEffect, useRef, useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { toast } from "../../../ui/toast.ts";

/** Plays a sample sentence of a voice. */
export function useVoicePreview(voiceId: string | undefined, language: string) {
  const parley = useParley();
  const [state, setState] = useState<"idle" | "loading" | "playing">("idle");
  const stopRef = useRef<() => void>(() => undefined);
  // Another voice, or another page, ends the preview.
  useEffect(() => () => stopRef.current(), [voiceId, language]);
  const play = async (id: string): Promise<void> => {
    const context = new AudioContext();
    const controller = new AbortController();
    stopRef.current = () => {
      controller.abort();
      void context.close().catch(() => undefined);
      setState("idle");
      stopRef.current = () => undefined;
    };
    setState("loading");
    try {
      const file = await parley.previewVoice(id, { language }, { signal: controller.signal });
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(await file.arrayBuffer());
      source.connect(context.destination);
      source.addEventListener("ended", () => stopRef.current());
      source.start();
      setState("playing");
    } catch (error) {
      if (controller.signal.aborted) return;
      stopRef.current();
      toast.failed(error);
    }
  };
  const toggle = (): void => {
    if (state !== "idle") stopRef.current();
    else if (voiceId !== undefined) void play(voiceId);
  };
  return { state, toggle };
}
