import { Badge, Card, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { Agent, AgentRestored, AgentVersionDetail } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { agentQuery } from "../agents.queries.ts";
import type { VersionView } from "../agents.routes.ts";
import { DiffView } from "./diff-view.tsx";
import { diffFields } from "./field-diff.rules.ts";
import { RestoreReport, VersionActions } from "./version-actions.tsx";
import { describeActor, describeVersion } from "./version-words.ts";
import { draftRevisionQuery, versionQuery } from "./versions.queries.ts";

const route = getRouteApi("/shell/in/agents/$agentId/versions/$revision");

/** Fields that a restore leaves as they are. */
const notRestored = ["phoneNumbers"];
/** Fields that are live without being published. */
const alwaysLive = ["phoneNumbers", "status", "sipTrunkId"];

/** One version: who made it, what it changed, and what would follow from using it again. */
export function VersionPage() {
  const { agentId, revision } = route.useParams();
  const parley = useParley();
  const agent = useQuery(agentQuery(parley, agentId));
  const version = useQuery(versionQuery(parley, agentId, Number(revision)));
  const draft = useQuery(draftRevisionQuery(parley, agentId));
  return (
    <Loaded query={agent}>
      {(loadedAgent) => (
        <Loaded query={draft}>
          {(draftRevision) => (
            <Loaded query={version}>
              {(loaded) => (
                <VersionDetail
                  key={revision}
                  agent={loadedAgent}
                  version={loaded}
                  draftRevision={draftRevision}
                />
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface VersionDetailProps {
  agent: Agent;
  version: AgentVersionDetail;
  draftRevision: number | null;
}

function VersionDetail({ agent, version, draftRevision }: VersionDetailProps) {
  const [restored, setRestored] = useState<AgentRestored>();
  const isDraft = version.revision === draftRevision;
  const isLive = agent.publishMode === "auto" ? isDraft : version.revision === agent.publishedRevision;
  const views = [
    { value: "changes", label: "Its changes" },
    ...(isDraft ? [] : [{ value: "restore", label: "If restored" }]),
    ...(agent.publishMode === "manual" && !isLive ? [{ value: "publish", label: "If published" }] : []),
  ];
  const { view: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const view = views.find(({ value }) => value === asked)?.value ?? "changes";
  const select = (value: string): void => {
    const chosen = value === "restore" || value === "publish" ? value : undefined;
    void navigate({ search: { view: chosen }, replace: true });
  };
  const otherRevision = view === "restore" ? draftRevision : agent.publishedRevision;
  return (
    <Stack gap="md">
      <TextLink to="/agents/$agentId/versions" params={{ agentId: agent.id }} size="sm">
        All versions
      </TextLink>
      <Group justify="space-between" align="flex-start">
        <VersionHeading version={version} isDraft={isDraft} isLive={isLive} />
        <VersionActions
          agent={agent}
          version={version}
          isDraft={isDraft}
          isLive={isLive}
          onRestored={setRestored}
        />
      </Group>
      {restored !== undefined && <RestoreReport restored={restored} />}
      {views.length > 1 && (
        <div>
          <SegmentedControl aria-label="What is shown" data={views} value={view} onChange={select} />
        </div>
      )}
      <Card withBorder padding="lg">
        {view === "changes" || otherRevision === null ? (
          <OwnChanges version={version} />
        ) : (
          <Comparison
            agentId={agent.id}
            version={version}
            otherRevision={otherRevision}
            view={view === "restore" ? "restore" : "publish"}
          />
        )}
      </Card>
    </Stack>
  );
}

interface VersionHeadingProps {
  version: AgentVersionDetail;
  isDraft: boolean;
  isLive: boolean;
}

function VersionHeading({ version, isDraft, isLive }: VersionHeadingProps) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Title order={2} size="h3">
          Revision {version.revision}
        </Title>
        {isLive && <Badge variant="light">live</Badge>}
        {isDraft && !isLive && (
          <Badge variant="light" color="gray">
            draft
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {describeVersion(version)} · {describeActor(version)} · {formatDateTime(version.createdAt)}
      </Text>
    </Stack>
  );
}

function OwnChanges({ version: { revision, kind, changes } }: Pick<VersionDetailProps, "version">) {
  const before = Object.fromEntries(changes.map((change) => [change.field, change.before]));
  const after = Object.fromEntries(changes.map((change) => [change.field, change.after]));
  return (
    <>
      <Text c="dimmed" size="sm" mb="md">
        {kind === "created"
          ? "What the agent was created with."
          : `From revision ${revision - 1} to this one.`}
      </Text>
      <DiffView diffs={diffFields(before, after)} empty="This version changed no field." />
    </>
  );
}

interface ComparisonProps {
  agentId: string;
  version: AgentVersionDetail;
  otherRevision: number;
  view: VersionView;
}

function Comparison({ agentId, version, otherRevision, view }: ComparisonProps) {
  const other = useQuery(versionQuery(useParley(), agentId, otherRevision));
  return (
    <>
      <Text c="dimmed" size="sm" mb="md">
        {view === "restore"
          ? `From the draft (revision ${otherRevision}) to this revision: what restoring it changes.`
          : `From the live revision ${otherRevision} to this one: what publishing it changes for new calls.`}
      </Text>
      <Loaded query={other}>
        {({ snapshot }) => (
          <DiffView
            diffs={diffFields(
              { ...snapshot },
              { ...version.snapshot },
              view === "restore" ? notRestored : alwaysLive,
            )}
            empty={view === "restore" ? "The draft is the same." : "The live revision is the same."}
          />
        )}
      </Loaded>
    </>
  );
}
