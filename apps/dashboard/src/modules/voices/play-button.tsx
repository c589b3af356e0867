import { ActionIcon } from "@mantine/core";
import type { Voice } from "@parley/client";
import Play from "lucide-react/icons/play";
import Square from "lucide-react/icons/square";
import { useVoicePreview } from "../agents/editor/use-voice-preview.ts";

/** Plays a sample sentence of a voice in its language. */
export function PlayButton({ voice: { id, displayName, language, status } }: { voice: Voice }) {
  const { state, toggle } = useVoicePreview(id, language);
  const isPlaying = state === "playing";
  return (
    <ActionIcon
      variant="default"
      size="lg"
      radius="xl"
      disabled={status !== "ready"}
      loading={state === "loading"}
      aria-label={isPlaying ? `Stop ${displayName}` : `Listen to ${displayName}`}
      onClick={toggle}
    >
      {isPlaying ? <Square size={16} aria-hidden /> : <Play size={16} aria-hidden />}
    </ActionIcon>
  );
}
