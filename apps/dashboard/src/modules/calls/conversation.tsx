import { Card, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { lazy, Suspense, useEffect, useRef } from "react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LoadingLines } from "../../ui/loading.tsx";
import { formatDateTime } from "../../ui/format.ts";
import MessageSquare from "lucide-react/icons/message-square";
import { CallFacts } from "./call-facts.tsx";
import { otherRoleOf } from "./call-words.ts";
import { Recording } from "./recording.tsx";
import { findCurrent } from "./transcript.rules.ts";
import { TranscriptLines } from "./transcript-lines.tsx";
import { usePlayer } from "./use-player.ts";

/** Only calls on a flow need the graph. */
const FlowPathCard = lazy(async () => ({
  default: (await import("../agents/flow/flow-path-card.tsx")).FlowPathCard,
}));

/** The sound of a call above its words, which follow it. */
export function Conversation({ call }: { call: CallDetail }) {
  const player = usePlayer();
  const currentId =
    player.positionMs === undefined ? undefined : findCurrent(call.transcript, player.positionMs);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (currentId === undefined || !player.isPlaying) return;
    const line = list.current?.querySelector(`[data-id="${CSS.escape(currentId)}"]`);
    line?.scrollIntoView({ block: "nearest" });
  }, [currentId, player.isPlaying]);
  const canSeek = call.recordingUrl !== null;
  return (
    <Stack gap="md">
      <Recording call={call} player={player} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" className="conversation">
        <Card withBorder padding="md" component="section" aria-label="Transcript">
          <Title order={2} size="h5" mb="xs">
            Transcript
          </Title>
          <div ref={list}>
            {call.transcript.length === 0 ? (
              <NoTranscript call={call} />
            ) : (
              <TranscriptLines
                items={call.transcript}
                otherRole={otherRoleOf(call)}
                currentId={currentId}
                onSeek={canSeek ? player.seek : undefined}
              />
            )}
          </div>
        </Card>
        <CallFacts call={call} />
      </SimpleGrid>
      {call.transcript.some(({ type }) => type === "flow") && (
        <Suspense fallback={<LoadingLines lines={6} label="Loading the path in the flow" />}>
          <FlowPathCard call={call} />
        </Suspense>
      )}
    </Stack>
  );
}

function NoTranscript({ call: { transcriptDeletedAt, answeredAt } }: { call: CallDetail }) {
  if (transcriptDeletedAt !== null)
    return <Text c="dimmed">The transcript was deleted on {formatDateTime(transcriptDeletedAt)}.</Text>;
  return (
    <EmptyState icon={MessageSquare} title="Nothing was said">
      {answeredAt === null ? "The call was not answered." : "The call ended before anybody spoke."}
    </EmptyState>
  );
}
