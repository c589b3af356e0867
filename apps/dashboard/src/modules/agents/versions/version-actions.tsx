import { Alert, Button, Group, List, Text } from "@mantine/core";
import type { Agent, AgentRestored, AgentVersionDetail } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { TextLink } from "../../../ui/links.tsx";
import { ClosedGate, isGateClosed } from "./closed-gate.tsx";
import { usePublish } from "./publish-card.tsx";
import { describePath } from "./version-words.ts";

interface VersionActionsProps {
  agent: Agent;
  version: AgentVersionDetail;
  isDraft: boolean;
  isLive: boolean;
  onRestored: (restored: AgentRestored) => void;
}

/** Restoring and publishing a version. */
export function VersionActions({ agent, version, isDraft, isLive, onRestored }: VersionActionsProps) {
  const { revision } = version;
  const parley = useParley();
  const queryClient = useQueryClient();
  const publish = usePublish(agent.id);
  const [asked, setAsked] = useState<"restore" | "publish">();
  const isManual = agent.publishMode === "manual";
  const restore = async (): Promise<void> => {
    onRestored(await parley.restoreAgentVersion(agent.id, String(revision)));
    await queryClient.invalidateQueries({ queryKey: ["agents"] });
  };
  return (
    <>
      <Group gap="xs">
        <Allowed operation="publishAgent">
          {isManual && !isLive && <Button onClick={() => setAsked("publish")}>Publish</Button>}
        </Allowed>
        <Allowed operation="restoreAgentVersion">
          {!isDraft && (
            <Button variant="default" onClick={() => setAsked("restore")}>
              Restore
            </Button>
          )}
        </Allowed>
      </Group>
      <ConfirmDialog
        isOpen={asked === "restore"}
        onClose={() => setAsked(undefined)}
        title={`Restore revision ${revision}?`}
        confirm="Restore"
        isDangerous={!isManual}
        onConfirm={restore}
      >
        {isManual
          ? "The draft becomes as it was in this revision. New calls are unchanged until you publish it."
          : "The agent becomes as it was in this revision, and new calls run on it at once."}{" "}
        Phone numbers stay as they are. The history is kept.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "publish"}
        onClose={() => setAsked(undefined)}
        title={`Publish revision ${revision}?`}
        confirm="Publish"
        isDangerous={false}
        onConfirm={async () => await publish.mutateAsync(isDraft ? {} : { revision }).catch(ignoreClosedGate)}
      >
        New calls run on it at once. Calls in progress and the draft are unchanged.
      </ConfirmDialog>
      <ClosedGate publish={publish} />
    </>
  );
}

/** It is shown on the page, with the way to the suites. */
function ignoreClosedGate(error: unknown): void {
  if (!isGateClosed(error)) throw error;
}

/** What a restore did, and what it left as it was. */
export function RestoreReport({ restored }: { restored: AgentRestored }) {
  const { agent, restoredFromRevision, newRevision, notRestored, skippedStaleRefs } = restored;
  return (
    <Alert color="house" role="status" title={`Revision ${restoredFromRevision} is restored`}>
      <Text size="sm">
        {agent.publishMode === "auto" ? "New calls run on it" : "It is the draft now"}, as{" "}
        <TextLink
          to="/agents/$agentId/versions/$revision"
          params={{ agentId: agent.id, revision: String(newRevision) }}
          underline="always"
        >
          revision {newRevision}
        </TextLink>
        .
      </Text>
      {notRestored.length + skippedStaleRefs.length > 0 && (
        <List size="sm" mt="xs">
          {notRestored.map((path) => (
            <List.Item key={path}>
              {describePath(path)}: differs, and was not restored
              {path === "phoneNumbers" ? ". Change it on the page of the number." : "."}
            </List.Item>
          ))}
          {skippedStaleRefs.map((path) => (
            <List.Item key={path}>
              {describePath(path)}: left as it was, because what it named no longer exists.
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
