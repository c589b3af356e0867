import { Skeleton, Text, useComputedColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import WaveSurfer from "wavesurfer.js";
import { styleNonce } from "../../app/nonce.ts";
import { MAX_WAVEFORM_MS, type Peaks, loadPeaks } from "./peaks.ts";
import type { Player } from "./use-player.ts";

const CHANNEL_HEIGHT_PX = 44;

interface WaveformProps {
  url: string;
  player: Player;
}

/** Both sides of a recording as waves: the other side above, the agent below. The slider below it is for the keyboard. */
export function Waveform({ url, player: { audio, durationMs, move } }: WaveformProps) {
  const isShort = durationMs !== undefined && durationMs <= MAX_WAVEFORM_MS;
  const peaks = useQuery({
    queryKey: ["recordings", url],
    queryFn: async ({ signal }) => await loadPeaks(url, signal),
    enabled: isShort,
    staleTime: Infinity,
  });
  if (durationMs !== undefined && !isShort)
    return (
      <Text size="sm" c="dimmed">
        Recordings of more than {MAX_WAVEFORM_MS / 60_000} minutes are played without a waveform.
      </Text>
    );
  if (peaks.error !== null)
    return (
      <Text size="sm" c="dimmed">
        The waveform cannot be shown; the recording can be played.
      </Text>
    );
  if (peaks.data === undefined) return <Skeleton height={2 * CHANNEL_HEIGHT_PX} />;
  return <Waves peaks={peaks.data} audio={audio} move={move} />;
}

type WavesProps = Pick<Player, "audio" | "move"> & { peaks: Peaks };

function Waves({ peaks: { channels, durationSeconds }, audio, move }: WavesProps) {
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    if (container.current === null || audio.current === null) return;
    const waves = WaveSurfer.create({
      container: container.current,
      media: audio.current,
      peaks: channels,
      duration: durationSeconds,
      ...(styleNonce !== undefined && { cspNonce: styleNonce }),
      height: CHANNEL_HEIGHT_PX,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      hideScrollbar: true,
      cursorColor: colorOf("--mantine-color-text"),
      splitChannels: channels.map((_, index) => {
        const color = colorOf(index === 0 ? "--caller-color" : "--mantine-color-anchor");
        return { waveColor: `${color}80`, progressColor: color };
      }),
    });
    waves.on("click", (share) => move(share * durationSeconds * 1000));
    return () => waves.destroy();
    // The colors are read from the page, which has changed them by then.
  }, [channels, durationSeconds, audio, move, scheme]);
  return <div ref={container} aria-hidden className="waves" />;
}

function colorOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}
