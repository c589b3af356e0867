import { ActionIcon, Card, Group, Select, Slider, Stack, Text } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import { useState } from "react";
import { Problem } from "../../ui/problem.tsx";
import { playableUrl } from "../web-calls/call-record.rules.ts";
import { formatSeconds, otherRoleOf } from "./call-words.ts";
import type { Player } from "./use-player.ts";
import { Waveform } from "./waveform.tsx";

const speeds = ["0.75", "1", "1.25", "1.5", "2"].map((value) => ({ value, label: `${value}×` }));

interface RecordingProps {
  call: CallDetail;
  player: Player;
}

export function Recording({ call, player }: RecordingProps) {
  const { recordingUrl, recordingStatus, answeredAt } = call;
  if (recordingUrl !== null)
    return (
      <RecordingPlayer
        url={playableUrl(recordingUrl, location.origin)}
        otherRole={otherRoleOf(call)}
        player={player}
      />
    );
  if (answeredAt === null) return null;
  return (
    <Text c="dimmed" size="sm" role="status">
      {missingRecordings[recordingStatus ?? "none"]}
    </Text>
  );
}

const missingRecordings = {
  none: "This call was not recorded: recording is off in its agent.",
  pending: "The recording is being prepared…",
  ready: "The recording is being prepared…",
  failed: "The recording failed. The operator finds the reason in the log.",
  deleted: "The recording was deleted.",
};

function RecordingPlayer({ url, otherRole, player }: { url: string; otherRole: string; player: Player }) {
  // The link is renewed whenever the call is loaded again; what plays goes on.
  const [source, setSource] = useState(url);
  const [hasFailed, setFailed] = useState(false);
  const retry = (): void => {
    setSource(url);
    setFailed(false);
  };
  const { audio, events, isPlaying, toggle, move, positionMs = 0, durationMs = 0 } = player;
  const seconds = (ms: number): string => formatSeconds(ms / 1000);
  return (
    <Card withBorder padding="md" component="section" aria-label="Recording">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the transcript is shown beside it */}
      <audio ref={audio} src={source} preload="metadata" {...events} onError={() => setFailed(true)} />
      {hasFailed ? (
        <Problem error="The recording could not be loaded." onRetry={retry} />
      ) : (
        <Stack gap="xs">
          <Waveform url={source} player={player} />
          <Slider
            thumbLabel="Position in the recording"
            size="sm"
            label={null}
            min={0}
            max={Math.max(durationMs, 1)}
            step={100}
            value={positionMs}
            onChange={move}
            thumbProps={{ "aria-valuetext": seconds(positionMs) }}
          />
          <Group justify="space-between">
            <Group gap="sm">
              <ActionIcon size="lg" radius="xl" aria-label={isPlaying ? "Pause" : "Play"} onClick={toggle}>
                {isPlaying ? <Pause size={18} aria-hidden /> : <Play size={18} aria-hidden />}
              </ActionIcon>
              <Text size="sm" className="figures">
                {seconds(positionMs)} / {seconds(durationMs)}
              </Text>
            </Group>
            <Group gap="md">
              <Legend otherRole={otherRole} />
              <Select
                aria-label="Speed"
                size="xs"
                w={84}
                data={speeds}
                defaultValue="1"
                allowDeselect={false}
                onChange={(speed) => {
                  if (audio.current !== null) audio.current.playbackRate = Number(speed ?? 1);
                }}
              />
            </Group>
          </Group>
        </Stack>
      )}
    </Card>
  );
}

function Legend({ otherRole }: { otherRole: string }) {
  return (
    <Group gap="sm" visibleFrom="xs">
      <Text size="xs" c="dimmed" className="side caller">
        {otherRole}
      </Text>
      <Text size="xs" c="dimmed" className="side agent">
        Agent
      </Text>
    </Group>
  );
}
