import { Card, Grid, Stack, Text, Title } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Agent } from "@parley/client";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Editable } from "../../../app/session/allowed.tsx";
import { FieldList } from "../../../ui/field-list.tsx";
import { LoadingLines } from "../../../ui/loading.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { UnsavedChangesGuard } from "../../../ui/unsaved-changes.tsx";
import { WidgetCard } from "../widget/widget-card.tsx";
import { agentFields } from "../agent-fields.at-build.ts";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { type FieldGroup, fieldGroups, groupOf, withOtherFields } from "./field-groups.rules.ts";
import { GroupNavigation } from "./group-navigation.tsx";
import { OfferField, offerNames } from "./offer-field.tsx";
import { KnowledgeBasesField } from "./knowledge-bases-field.tsx";
import { ReferenceField } from "./reference-field.tsx";
import { SaveBar } from "./save-bar.tsx";
import { useAgentForm } from "./use-agent-form.ts";

const names = Object.keys(agentFields) as (keyof typeof agentFields)[];
const references = ["sipTrunkId", "folderId", "messagingConnectionId"] as const;
const groups = withOtherFields(fieldGroups, names);
const [firstGroup] = groups;

/** All settings of an agent, one group at a time. Nothing is saved by itself. */
export function AgentEditor({ agent }: { agent: Agent }) {
  const route = getRouteApi("/shell/in/agents/$agentId/");
  const navigate = route.useNavigate();
  const chosen = route.useSearch().group;
  const group = groups.find(({ id }) => id === chosen) ?? firstGroup;
  const openGroupOf = (path: string): void => {
    const faulty = groupOf(groups, path);
    if (faulty !== undefined) void navigate({ search: { group: faulty.id }, replace: true });
  };
  const edited = useAgentForm(agent, openGroupOf);
  const { form, submit, saving, problem, base, changedFields, isConflict, setConflict, adopt, rebase } =
    edited;
  if (group === undefined) return null;
  return (
    <form onSubmit={submit} noValidate>
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, sm: 4, md: 3 }}>
          <GroupNavigation
            groups={groups}
            chosen={group.id}
            changedFields={changedFields}
            faultyPaths={Object.keys(form.errors)}
            onChoose={(id) => void navigate({ search: { group: id } })}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 8, md: 9 }}>
          <Editable operation="updateAgent" what="this agent">
            <GroupCard group={group} form={form} />
          </Editable>
          {group.id === "widget" && (
            <WidgetCard agent={agent} config={form.getValues()["widgetConfig"] as Agent["widgetConfig"]} />
          )}
        </Grid.Col>
      </Grid>
      {problem !== undefined && !isConflict && <Problem error={problem} />}
      <SaveBar changedFields={changedFields} isSaving={saving.isPending} onDiscard={() => adopt(base)} />
      <ConflictDialog
        isOpen={isConflict}
        agentId={agent.id}
        base={base}
        mine={changedFields}
        onClose={() => setConflict(false)}
        onDiscard={adopt}
        onKeep={rebase}
      />
    </form>
  );
}

function GroupCard({ group, form }: { group: FieldGroup; form: UseFormReturnType<Record<string, unknown>> }) {
  return (
    <Card withBorder padding="lg">
      <Title order={2} size="h4">
        {group.title}
      </Title>
      <Text c="dimmed" size="sm" mb="md">
        {group.description}
      </Text>
      <Stack gap="lg" key={group.id}>
        {group.fields.map((name) => (
          <AgentField key={name} form={form} name={name} />
        ))}
      </Stack>
    </Card>
  );
}

/** The graph and the editor of JSON are code that most visits do not need. */
const FlowField = lazy(async () => ({ default: (await import("../flow/flow-field.tsx")).FlowField }));

function AgentField({ form, name }: { form: UseFormReturnType<Record<string, unknown>>; name: string }) {
  // The field of the flow shows its mode too.
  if (name === "mode") return null;
  if (name === "flowDefinition")
    return (
      <Suspense fallback={<LoadingLines lines={6} label="Loading the flow" />}>
        <FlowField form={form} />
      </Suspense>
    );
  const reference = references.find((each) => each === name);
  if (reference !== undefined)
    return <ReferenceField form={form} name={reference} description={agentFields[reference]} />;
  const offer = offerNames.find((each) => each === name);
  if (name === "knowledgeBaseIds")
    return <KnowledgeBasesField form={form} description={agentFields.knowledgeBaseIds} />;
  if (offer !== undefined) return <OfferField form={form} name={offer} description={agentFields[offer]} />;
  return <FieldList form={form} table={agentFields} names={[name]} />;
}
