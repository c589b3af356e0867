import { Button, Card, Group, Stack } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useParley } from "../../app/session/session.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SchemaField } from "../../ui/schema-field.tsx";
import { findFault } from "../../ui/schema-field.rules.ts";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { agentFields } from "./agent-fields.at-build.ts";

const fields = {
  name: agentFields.name,
  firstMessage: agentFields.firstMessage,
  promptTemplate: agentFields.promptTemplate,
};

interface NewAgent {
  name: string;
  firstMessage: string | null;
  promptTemplate: string;
}

/** The fields without which an agent is of no use. All others have defaults, and are changed on the agent's page. */
export function NewAgentPage() {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { form, saving, submit, problem } = useApiForm<NewAgent, Agent>({
    initialValues: { name: "", firstMessage: null, promptTemplate: "" },
    validate: (values) => ({ name: findFault(fields.name.schema ?? {}, values.name) }),
    save: async (values) => await parley.createAgent(values),
    onSaved: async ({ id }) => {
      form.resetDirty();
      await queryClient.invalidateQueries({ queryKey: ["agents"] });
      await navigate({ to: "/agents/$agentId", params: { agentId: id } });
    },
  });
  return (
    <>
      <PageHeader
        title="New agent"
        description="Three answers are enough to begin. Everything else has a default."
      />
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Card component="form" withBorder padding="lg" maw={720} onSubmit={submit} noValidate>
        <Stack>
          <SchemaField form={form} path="name" schema={fields.name.schema ?? {}} required />
          <SchemaField form={form} path="firstMessage" schema={fields.firstMessage.schema ?? {}} />
          <SchemaField
            form={form}
            path="promptTemplate"
            schema={fields.promptTemplate.schema ?? {}}
            label="Prompt"
          />
          {problem !== undefined && <Problem error={problem} />}
          <Group justify="flex-end">
            <ButtonLink variant="default" to="/agents">
              Cancel
            </ButtonLink>
            <Button type="submit" loading={saving.isPending}>
              Create agent
            </Button>
          </Group>
        </Stack>
      </Card>
    </>
  );
}
