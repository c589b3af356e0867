import { Card, Stack, Title } from "@mantine/core";
import type { CallDetail, CallQuality } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import Network from "lucide-react/icons/network";
import { useParley } from "../../app/session/session.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { Facts } from "../../ui/facts.tsx";
import { traceQuery } from "./calls.queries.ts";
import { SipLadder } from "./sip-ladder.tsx";

/** The SIP messages of a call, and how well its audio passed the network. */
export function CallSignaling({ call }: { call: CallDetail }) {
  return (
    <Stack gap="md">
      {call.quality !== null && <Quality quality={call.quality} />}
      {call.channel === "phone" ? <Signaling callId={call.id} /> : call.quality === null && <NoNetwork />}
    </Stack>
  );
}

function Signaling({ callId }: { callId: string }) {
  const trace = useQuery(traceQuery(useParley(), callId));
  return (
    <Loaded query={trace}>
      {({ messages }) =>
        messages.length === 0 ? (
          <Card withBorder>
            <EmptyState icon={Network} title="No SIP messages">
              They are kept for the number of days that the operator has set.
            </EmptyState>
          </Card>
        ) : (
          <SipLadder messages={messages} />
        )
      }
    </Loaded>
  );
}

function NoNetwork() {
  return (
    <Card withBorder>
      <EmptyState icon={Network} title="No audio was exchanged">
        The quality of the network appears here after calls with audio.
      </EmptyState>
    </Card>
  );
}

function Quality({ quality: { codec, srtpSuite, roundTripMs, received, sent } }: { quality: CallQuality }) {
  const ms = (value: number | null): string | null => (value === null ? null : `${value} ms`);
  return (
    <Card withBorder padding="md" component="section" aria-label="Quality">
      <Title order={2} size="h5" mb="xs">
        Quality of the audio
      </Title>
      <Facts
        facts={[
          ["Heard from the caller", score(received.mos)],
          ["Heard by the caller", score(sent.mos)],
          ["Codec", codec],
          ["Encryption", srtpSuite ?? "none"],
          ["Round trip", ms(roundTripMs)],
          [
            "Received",
            `${received.packets.toLocaleString("en")} packets, ${received.lost} lost, ${received.late} late`,
          ],
          ["Jitter, received", ms(received.jitterMs)],
          [
            "Sent",
            `${sent.packets.toLocaleString("en")} packets${sent.lost === null ? "" : `, ${sent.lost} lost`}`,
          ],
          ["Jitter, sent", ms(sent.jitterMs)],
        ]}
      />
    </Card>
  );
}

/** A mean opinion score in words, by the categories of ITU-T G.107. */
function score(mos: number | null): string | null {
  if (mos === null) return null;
  const words = mos >= 4 ? "good" : mos >= 3.6 ? "fair" : mos >= 3.1 ? "poor" : "bad";
  return `${words} (MOS ${mos.toFixed(1)})`;
}
