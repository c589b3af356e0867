import { Accordion, Badge, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import type { Conversation, Customer } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { type Fact, Facts } from "../../ui/facts.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { toast } from "../../ui/toast.ts";
import { agentQuery } from "../agents/agents.queries.ts";
import { useAgentName } from "../calls/agent-name.tsx";
import { ProviderFailures } from "../calls/provider-failures.tsx";
import { TranscriptLines } from "../calls/transcript-lines.tsx";
import { MakeCaseMenu } from "../test-suites/cases/make-case-menu.tsx";
import { conversationsQuery, customerQuery, nameOf, conversationQuery } from "./customers.queries.ts";

const route = getRouteApi("/shell/in/customers/$customerId");

const channelNames: Readonly<Record<Conversation["channel"], string>> = {
  phone: "Phone call",
  web: "Call on a page",
  sms: "Text messages",
  web_chat: "Chat on a page",
};

/** One customer with everything that was said, and its erasure. */
export function CustomerPage() {
  const { customerId } = route.useParams();
  const customer = useQuery(customerQuery(useParley(), customerId));
  return (
    <Loaded query={customer} heading="Customer">
      {(loaded) => (
        <>
          <PageHeader
            title={nameOf(loaded)}
            actions={
              <Group gap="sm">
                <ButtonLink variant="default" to="/customers">
                  All customers
                </ButtonLink>
                <Allowed operation="deleteCustomer">
                  <EraseButton customer={loaded} />
                </Allowed>
              </Group>
            }
          />
          <Stack gap="lg">
            <Card withBorder padding="md">
              <CustomerFacts customer={loaded} />
            </Card>
            <Conversations customer={loaded} />
          </Stack>
        </>
      )}
    </Loaded>
  );
}

function CustomerFacts({ customer }: { customer: Customer }) {
  const { agentId, userId, phoneNumber, createdAt } = customer;
  const agentName = useAgentName();
  const facts: Fact[] = [
    [
      "Agent",
      <TextLink to="/agents/$agentId" params={{ agentId }} size="sm">
        {agentName(agentId)}
      </TextLink>,
    ],
    ["User id", userId],
    ["Number", phoneNumber],
    ["Since", formatDateTime(createdAt)],
    ["Memory", <Memory customer={customer} />],
  ];
  return <Facts facts={facts} />;
}

/** What the agent knows of the conversations below. */
function Memory({ customer: { agentId, phoneNumber } }: { customer: Customer }) {
  const { data: agent, isError } = useQuery({ ...agentQuery(useParley(), agentId), retry: false });
  if (isError) return "The agent is deleted, and remembers nothing.";
  if (agent === undefined) return "…";
  const { phoneMemoryEnabled, widgetConfig } = agent;
  const isOn = phoneNumber === null ? widgetConfig.continuity.sharedMemory : phoneMemoryEnabled;
  return isOn
    ? "The agent knows the latest messages of the conversations below when it talks to this customer again."
    : "Off: the agent does not know the conversations below when it talks to this customer again.";
}

function Conversations({ customer: { id } }: { customer: Customer }) {
  const conversations = useQuery(conversationsQuery(useParley(), id));
  const [openId, setOpenId] = useState<string | null>(null);
  return (
    <section aria-labelledby="conversations">
      <Title order={2} size="h4" id="conversations" mb="sm">
        Conversations
      </Title>
      <Loaded query={conversations}>
        {({ data, total }) => (
          <>
            {total > data.length && (
              <Text c="dimmed" size="sm" mb="sm">
                The latest {data.length} of {total} conversations.
              </Text>
            )}
            {data.length === 0 && <Text c="dimmed">Nothing was said yet.</Text>}
            <Accordion variant="separated" order={3} value={openId} onChange={setOpenId}>
              {data.map((conversation) => (
                <Accordion.Item key={conversation.id} value={conversation.id}>
                  <Accordion.Control>
                    <Heading conversation={conversation} />
                  </Accordion.Control>
                  <Accordion.Panel>
                    {openId === conversation.id && <Transcript conversation={conversation} />}
                  </Accordion.Panel>
                </Accordion.Item>
              ))}
            </Accordion>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Heading({ conversation: { channel, createdAt, endedAt } }: { conversation: Conversation }) {
  const isOpen = endedAt === null && (channel === "sms" || channel === "web_chat");
  return (
    <Group gap="sm" justify="space-between" mr="sm">
      <Text fw={600}>{channelNames[channel]}</Text>
      <Group gap="xs">
        {isOpen && <Badge variant="light">open</Badge>}
        <Text size="sm" c="dimmed">
          {formatDateTime(createdAt)}
        </Text>
      </Group>
    </Group>
  );
}

function Transcript({ conversation: { id, agentId, channel } }: { conversation: Conversation }) {
  const conversation = useQuery(conversationQuery(useParley(), id));
  const isText = channel === "sms" || channel === "web_chat";
  return (
    <Loaded query={conversation}>
      {({ transcript, providerFailures }) => (
        <Stack align="flex-start">
          {transcript.length === 0 ? (
            <Text c="dimmed">There is no transcript.</Text>
          ) : (
            <TranscriptLines items={transcript} otherRole="Customer" />
          )}
          <ProviderFailures failures={providerFailures} />
          {isText && transcript.some(({ role }) => role === "user") && (
            <Allowed operation="createTestCaseFromCall">
              <MakeCaseMenu agentId={agentId} source={{ conversationId: id }} />
            </Allowed>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function EraseButton({ customer }: { customer: Customer }) {
  const parley = useParley();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const erase = async (): Promise<void> => {
    await parley.deleteCustomer(customer.id);
    toast.done(`${nameOf(customer)} is erased.`);
    await navigate({ to: "/customers" });
    queryClient.removeQueries({ queryKey: ["customers", customer.id] });
    await queryClient.invalidateQueries({ queryKey: ["customers"] });
  };
  return (
    <>
      <Button variant="light" color="red" onClick={() => setAsking(true)}>
        Erase
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Erase ${nameOf(customer)}?`}
        confirm="Erase"
        onConfirm={erase}
      >
        <Text>
          All conversations of this customer are deleted: chats, text messages, and calls with their
          recordings and results. This cannot be taken back.
        </Text>
      </ConfirmDialog>
    </>
  );
}
