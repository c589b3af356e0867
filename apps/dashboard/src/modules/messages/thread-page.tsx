import { Card, Group, Stack, Text } from "@mantine/core";
import type { Message } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { MakeCaseMenu } from "../test-suites/cases/make-case-menu.tsx";
import { MessageBadge } from "./message-badge.tsx";
import { threadQuery } from "./messages.queries.ts";

const route = getRouteApi("/shell/in/messages/$conversationId");

/** The messages of one conversation, in their order. */
export function ThreadPage() {
  const { conversationId } = route.useParams();
  const thread = useQuery(threadQuery(useParley(), conversationId));
  return (
    <Loaded query={thread} heading="Conversation">
      {({ messages, total }) => {
        const [first] = messages;
        return (
          <>
            <PageHeader
              title={first === undefined ? "Conversation" : otherSideOf(first)}
              description={first?.agentName ?? "No agent"}
              actions={
                <Group gap="sm">
                  <ButtonLink variant="default" to="/messages">
                    All messages
                  </ButtonLink>
                  {first?.agentId && messages.some(({ direction }) => direction === "INBOUND") && (
                    <Allowed operation="createTestCaseFromCall">
                      <MakeCaseMenu agentId={first.agentId} source={{ conversationId }} />
                    </Allowed>
                  )}
                </Group>
              }
            />
            {total > messages.length && (
              <Text c="dimmed" size="sm" mb="sm">
                The latest {messages.length} of {total} messages.
              </Text>
            )}
            <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: "none" }} maw={720}>
              {messages.map((message) => (
                <Bubble key={message.id} message={message} />
              ))}
            </Stack>
          </>
        );
      }}
    </Loaded>
  );
}

function otherSideOf({ direction, fromNumber, toNumber }: Message): string {
  return direction === "INBOUND" ? fromNumber : toNumber;
}

function Bubble({ message }: { message: Message }) {
  const { direction, body, media, createdAt, errorMessage, callId } = message;
  const isOurs = direction === "OUTBOUND";
  return (
    <Card component="li" withBorder padding="sm" ml={isOurs ? "xl" : 0} mr={isOurs ? 0 : "xl"}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="xs" c="dimmed">
          {isOurs ? "Agent" : "Other side"}, {formatDateTime(createdAt)}
        </Text>
        <MessageBadge message={message} />
      </Group>
      <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{body}</Text>
      {media.map(({ url, contentType }) => (
        <Text key={url} size="sm" c="dimmed">
          File: {contentType}
        </Text>
      ))}
      {errorMessage !== null && (
        <Text size="sm" c="red">
          {errorMessage}
        </Text>
      )}
      {callId !== null && (
        <TextLink to="/calls/$callId" params={{ callId }} size="sm">
          During a call
        </TextLink>
      )}
    </Card>
  );
}
