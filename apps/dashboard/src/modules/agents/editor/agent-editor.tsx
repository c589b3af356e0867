import { Card, Grid, Stack, Text, Title } from "@mantine/core";
import { type Agent, ApiError } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { FieldList } from "../../../ui/field-list.tsx";
import { changedNames, findFaults } from "../../../ui/field-table.rules.ts";
import { Problem } from "../../../ui/problem.tsx";
import { toast } from "../../../ui/toast.ts";
import { UnsavedChangesGuard } from "../../../ui/unsaved-changes.tsx";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { agentFields } from "../agent-fields.at-build.ts";
import { agentQuery } from "../agents.queries.ts";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { fieldGroups, groupOf, withOtherFields } from "./field-groups.rules.ts";
import { GroupNavigation } from "./group-navigation.tsx";
import { ReferenceField } from "./reference-field.tsx";
import { SaveBar } from "./save-bar.tsx";

type Values = Record<string, unknown>;

const names = Object.keys(agentFields) as (keyof typeof agentFields)[];
const references = ["sipTrunkId", "folderId"] as const;
const isUsable = (name: string): boolean =>
  agentFields[name as keyof typeof agentFields]?.isUnavailable !== true;
const groups = withOtherFields(fieldGroups, names)
  .map((group) => ({ ...group, fields: group.fields.filter(isUsable) }))
  .filter(({ fields }) => fields.length > 0);
const [firstGroup] = groups;

const valuesOf = (agent: Agent): Values => Object.fromEntries(names.map((name) => [name, agent[name]]));

/** All settings of an agent, one group at a time. Nothing is saved by itself. */
export function AgentEditor({ agent }: { agent: Agent }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const route = getRouteApi("/shell/in/agents/$agentId/");
  const navigate = route.useNavigate();
  const chosen = route.useSearch().group;
  const group = groups.find(({ id }) => id === chosen) ?? firstGroup;
  // The state that the changes are based on.
  const [base, setBase] = useState(agent);
  const [isConflict, setConflict] = useState(false);
  const { form, saving, submit, problem } = useApiForm<Values, Agent>({
    initialValues: valuesOf(agent),
    validate: (values) => findFaults(agentFields, values),
    save: async (values) => {
      const changed = changedNames(names, valuesOf(base), values);
      const change = Object.fromEntries(changed.map((name) => [name, values[name]]));
      return await parley.updateAgent(agent.id, { ...change, ifUpdatedAt: base.updatedAt });
    },
    onSaved: (saved) => {
      adopt(saved);
      queryClient.setQueryData(agentQuery(parley, agent.id).queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ["agents", "list"] });
      toast.done(saved.hasUnpublishedChanges ? "Saved as draft. Publish it to make it live." : "Saved.");
    },
    onFaults: ([path]) => {
      const faulty = path === undefined ? undefined : groupOf(groups, path);
      if (faulty !== undefined) void navigate({ search: { group: faulty.id }, replace: true });
    },
  });
  const adopt = (state: Agent): void => {
    setBase(state);
    form.setInitialValues(valuesOf(state));
    form.setValues(valuesOf(state));
    form.resetDirty(valuesOf(state));
    form.clearErrors();
  };
  const isDirty = form.isDirty();
  useEffect(() => {
    if (agent.updatedAt !== base.updatedAt && !isDirty) adopt(agent);
  });
  useEffect(() => {
    if (saving.error instanceof ApiError && saving.error.code === "agent_changed") setConflict(true);
  }, [saving.error]);
  if (group === undefined) return null;
  const changedFields = changedNames(names, valuesOf(base), form.getValues());
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
          <Card withBorder padding="lg">
            <Title order={2} size="h4">
              {group.title}
            </Title>
            <Text c="dimmed" size="sm" mb="md">
              {group.description}
            </Text>
            <Stack gap="lg" key={group.id}>
              <FieldList
                form={form}
                table={agentFields}
                names={group.fields.filter((name) => !references.some((each) => each === name))}
              />
              {references
                .filter((name) => group.fields.includes(name))
                .map((name) => (
                  <ReferenceField key={name} form={form} name={name} description={agentFields[name]} />
                ))}
            </Stack>
          </Card>
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
        onDiscard={(theirs) => {
          setConflict(false);
          adopt(theirs);
        }}
        onKeep={(theirs) => {
          setConflict(false);
          setBase(theirs);
          for (const name of names)
            if (!changedFields.includes(name)) form.setFieldValue(name, valuesOf(theirs)[name] as never);
        }}
      />
    </form>
  );
}
