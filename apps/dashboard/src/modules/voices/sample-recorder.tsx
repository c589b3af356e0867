import { Button, Card, Group, Stack, Text } from "@mantine/core";
import Mic from "lucide-react/icons/mic";
import Square from "lucide-react/icons/square";
import { useRef, useState } from "react";
import { LevelMeter } from "../web-calls/microphone-choice.tsx";
import { readingText } from "./reading-texts.ts";
import { MIN_SECONDS } from "./sample-sound.ts";
import { useRecorder } from "./use-recorder.ts";

const CLIPPED_PEAK = 0.98;
const GOOD_LEVEL = 0.35;
/** Time for which a hint stays, and after which silence is mentioned. */
const HINT_MS = 2_000;

interface SampleRecorderProps {
  language: string;
  onRecorded: (sound: AudioBuffer) => void;
  onFailed: (error: unknown) => void;
}

/** Guides through a recording: a text to read, the level, and what to do better. */
export function SampleRecorder({ language, onRecorded, onFailed }: SampleRecorderProps) {
  const { state, start, stop } = useRecorder(onRecorded, onFailed);
  const text = readingText(language);
  return (
    <Card withBorder padding="md">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text === undefined
            ? "In a quiet room, a hand's width from the microphone, read any text aloud for 20 seconds:"
            : "In a quiet room, a hand's width from the microphone, read this aloud:"}
        </Text>
        {text !== undefined && (
          <Text size="lg" lang={language}>
            {text}
          </Text>
        )}
        {state.name === "recording" ? (
          <Recording stream={state.stream} seconds={state.seconds} onStop={stop} />
        ) : (
          <Button
            leftSection={<Mic size={16} aria-hidden />}
            loading={state.name === "decoding"}
            onClick={() => void start()}
          >
            Record
          </Button>
        )}
      </Stack>
    </Card>
  );
}

interface RecordingProps {
  stream: MediaStream;
  seconds: number;
  onStop: () => void;
}

function Recording({ stream, seconds, onStop }: RecordingProps) {
  const { hint, hear } = useHint();
  const isLongEnough = seconds >= MIN_SECONDS;
  return (
    <Stack gap="xs">
      <LevelMeter stream={stream} onLevel={hear} />
      <Text size="sm" role="status">
        {hint}
      </Text>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {seconds.toFixed(0)} s{isLongEnough ? "" : ` of at least ${MIN_SECONDS}`}
        </Text>
        <Button color="red" leftSection={<Square size={16} aria-hidden />} onClick={onStop}>
          Stop
        </Button>
      </Group>
    </Stack>
  );
}

/** What to do about the level: too loud at once, too quiet after a while. */
function useHint() {
  const [hint, setHint] = useState("Speak now.");
  const clippedAtMs = useRef(-Infinity);
  const heardAtMs = useRef(performance.now());
  const hear = (level: number, peak: number): void => {
    const now = performance.now();
    if (peak >= CLIPPED_PEAK) clippedAtMs.current = now;
    if (level >= GOOD_LEVEL) heardAtMs.current = now;
    if (now - clippedAtMs.current < HINT_MS) setHint("Too loud: move away from the microphone.");
    else if (now - heardAtMs.current > HINT_MS) setHint("Too quiet: speak up, or move closer.");
    else setHint("Good. Read on without long pauses.");
  };
  return { hint, hear };
}
