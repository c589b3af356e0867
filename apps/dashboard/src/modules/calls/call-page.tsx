import { Alert, Card, Tabs } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Info from "lucide-react/icons/info";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useAgentName } from "./agent-name.tsx";
import { CallActions } from "./call-actions.tsx";
import { CallStatusBadge } from "./call-badges.tsx";
import { Conversation } from "./conversation.tsx";
import { CallLatency } from "./call-latency.tsx";
import { CallResults } from "./call-results.tsx";
import { CallSignaling } from "./call-signaling.tsx";
import { CallWebhooks } from "./call-webhooks.tsx";
import { describeEnd, isActive, otherSideOf } from "./call-words.ts";
import { callQuery } from "./calls.queries.ts";
import { callTabs } from "./calls.routes.ts";
import { LiveCall } from "./live-call.tsx";

const route = getRouteApi("/shell/in/calls/$callId");

export function CallPage() {
  const { callId } = route.useParams();
  const call = useQuery(callQuery(useParley(), callId));
  return <Loaded query={call}>{(loaded) => <CallView call={loaded} />}</Loaded>;
}

function CallView({ call }: { call: CallDetail }) {
  const agentName = useAgentName();
  return (
    <>
      <PageHeader
        title={`Call ${call.direction === "inbound" ? "from" : "to"} ${otherSideOf(call)}`}
        beside={<CallStatusBadge call={call} />}
        description={
          <>
            <TextLink to="/agents/$agentId" params={{ agentId: call.agentId }} underline="always">
              {agentName(call.agentId)}
            </TextLink>{" "}
            · {formatDateTime(call.createdAt)}
          </>
        }
        actions={<CallActions call={call} />}
      />
      <EndNotice call={call} />
      {isActive(call) ? (
        <Card withBorder padding="lg">
          <LiveCall callId={call.id} />
        </Card>
      ) : (
        <CallTabs call={call} />
      )}
    </>
  );
}

/** What went wrong and what helps; nothing after an ordinary end. */
function EndNotice({ call: { endReason, endDetail } }: { call: CallDetail }) {
  if (endReason === null) return null;
  const { sentence, advice, isOrdinary } = describeEnd(endReason);
  if (isOrdinary) return null;
  return (
    <Alert
      mb="md"
      color={endReason.startsWith("dial_") ? "gray" : "red"}
      title={sentence}
      icon={<Info size={18} aria-hidden />}
    >
      {endDetail !== null && <div className="end-detail">{endDetail}</div>}
      {advice}
    </Alert>
  );
}

function CallTabs({ call }: { call: CallDetail }) {
  const { tab = "conversation" } = route.useSearch();
  const navigate = route.useNavigate();
  const select = (chosen: string | null): void => {
    const next = callTabs.find((name) => name === chosen && name !== "conversation");
    void navigate({ search: { tab: next }, replace: true });
  };
  return (
    <Tabs value={tab} onChange={select} keepMounted={false}>
      <Tabs.List mb="md" className="call-tabs">
        <Tabs.Tab value="conversation">Conversation</Tabs.Tab>
        <Tabs.Tab value="latency">Latency</Tabs.Tab>
        <Tabs.Tab value="results">Results</Tabs.Tab>
        <Tabs.Tab value="webhooks">Webhooks</Tabs.Tab>
        <Tabs.Tab value="signaling">Network</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="conversation">
        <Conversation call={call} />
      </Tabs.Panel>
      <Tabs.Panel value="latency">
        <CallLatency call={call} />
      </Tabs.Panel>
      <Tabs.Panel value="results">
        <CallResults call={call} />
      </Tabs.Panel>
      <Tabs.Panel value="webhooks">
        <CallWebhooks callId={call.id} />
      </Tabs.Panel>
      <Tabs.Panel value="signaling">
        <CallSignaling call={call} />
      </Tabs.Panel>
    </Tabs>
  );
}
