import { Button, Card, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { Agent, AgentPublish } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Allowed, useMay } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { ButtonLink } from "../../../ui/links.tsx";
import { toast } from "../../../ui/toast.ts";
import { ClosedGate, isGateClosed } from "./closed-gate.tsx";
import { draftRevisionQuery } from "./versions.queries.ts";

const modes = [
  { value: "auto", label: "Every save is live" },
  { value: "manual", label: "Live when published" },
] as const;

const explanations: Readonly<Record<Agent["publishMode"], string>> = {
  auto: "New calls run on the agent as it was saved last. Nothing is to be published.",
  manual: "A save changes the draft only. New calls run on the published revision until you publish another.",
};

/** When changes become live, and the way to make them so. */
export function PublishCard({ agent }: { agent: Agent }) {
  const { publishMode, hasUnpublishedChanges } = agent;
  const [isAsking, setAsking] = useState(false);
  const setMode = useSetMode(agent);
  const isAllowed = useMay()("updateAgent");
  const choose = (mode: Agent["publishMode"]): void => {
    // Without a draft the change of mode changes nothing for callers.
    if (mode === "auto" && hasUnpublishedChanges) setAsking(true);
    else if (mode !== publishMode) setMode.mutate(mode, { onError: (error) => toast.failed(error) });
  };
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="publishing-title">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="publishing-title">
          Publishing
        </Title>
        <SegmentedControl
          aria-label="When changes become live"
          size="xs"
          data={[...modes]}
          value={publishMode}
          onChange={choose}
          disabled={!isAllowed || setMode.isPending}
        />
      </Group>
      <Text c="dimmed" size="sm">
        {explanations[publishMode]}
      </Text>
      {publishMode === "manual" && <Publication agent={agent} />}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Make every save live?"
        confirm="Make live"
        isDangerous={false}
        onConfirm={async () => await setMode.mutateAsync("auto")}
      >
        The unpublished changes of the draft become live at once, and so does every later save.
      </ConfirmDialog>
    </Card>
  );
}

function useSetMode({ id }: Agent) {
  const parley = useParley();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (publishMode: Agent["publishMode"]) => await parley.updateAgent(id, { publishMode }),
    onSuccess: async ({ publishMode }) => {
      await queryClient.invalidateQueries({ queryKey: ["agents"] });
      toast.done(publishMode === "auto" ? "Every save is live now." : "Saves are drafts until you publish.");
    },
  });
}

function Publication({ agent }: { agent: Agent }) {
  const draft = useQuery(draftRevisionQuery(useParley(), agent.id)).data;
  const publish = usePublish(agent.id);
  const { publishedRevision, hasUnpublishedChanges } = agent;
  const isDraftUnpublished = hasUnpublishedChanges || publishedRevision === null;
  const live =
    publishedRevision === null ? "No revision is published." : `Revision ${publishedRevision} is live.`;
  return (
    <Stack gap="sm" mt="md">
      <ClosedGate publish={publish} />
      <Text size="sm">
        <strong>{live}</strong>{" "}
        {isDraftUnpublished
          ? "The draft has changes that new calls do not use yet."
          : "The draft has no other changes."}
      </Text>
      {isDraftUnpublished && (
        <Group gap="xs">
          <Allowed operation="publishAgent">
            <Button
              loading={publish.isPending}
              onClick={() =>
                publish.mutate({}, { onError: (error) => isGateClosed(error) || toast.failed(error) })
              }
            >
              Publish the draft
            </Button>
          </Allowed>
          {typeof draft === "number" && (
            <ButtonLink
              variant="default"
              to="/agents/$agentId/versions/$revision"
              params={{ agentId: agent.id, revision: String(draft) }}
              search={{ view: "publish" }}
            >
              Show the changes
            </ButtonLink>
          )}
        </Group>
      )}
    </Stack>
  );
}

/** Publishes a revision; without one the draft. */
export function usePublish(agentId: string) {
  const parley = useParley();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: AgentPublish) => await parley.publishAgent(agentId, body),
    onSuccess: async ({ revision }) => {
      await queryClient.invalidateQueries({ queryKey: ["agents"] });
      toast.done(`New calls run on revision ${revision}.`);
    },
  });
}
