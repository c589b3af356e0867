import { Button, Card, Group, Text } from "@mantine/core";
import Play from "lucide-react/icons/play";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import Square from "lucide-react/icons/square";
import { useEffect, useRef, useState } from "react";

/** The recording, to be heard before it is sent. */
export function RecordedSample({ sound, onDiscard }: { sound: AudioBuffer; onDiscard: () => void }) {
  const { isPlaying, toggle } = usePlayback(sound);
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between">
        <Text size="sm">Recording of {sound.duration.toFixed(0)} seconds</Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={isPlaying ? <Square size={14} aria-hidden /> : <Play size={14} aria-hidden />}
            onClick={toggle}
          >
            {isPlaying ? "Stop" : "Listen"}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<RotateCcw size={14} aria-hidden />}
            onClick={onDiscard}
          >
            Replace
          </Button>
        </Group>
      </Group>
    </Card>
  );
}

function usePlayback(sound: AudioBuffer) {
  const [isPlaying, setPlaying] = useState(false);
  const stopRef = useRef<() => void>(() => undefined);
  useEffect(() => () => stopRef.current(), []);
  const toggle = (): void => {
    if (isPlaying) return stopRef.current();
    const context = new AudioContext();
    stopRef.current = () => {
      stopRef.current = () => undefined;
      void context.close();
      setPlaying(false);
    };
    const source = new AudioBufferSourceNode(context, { buffer: sound });
    source.connect(context.destination);
    source.addEventListener("ended", () => stopRef.current());
    source.start();
    setPlaying(true);
  };
  return { isPlaying, toggle };
}
