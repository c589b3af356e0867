import { Button, Card, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useParley } from "../../app/session/session.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { ConnectionFormFields } from "./connection-form-fields.tsx";
import { emptyConnection, useConnectionForm } from "./use-connection-form.ts";

/** The credentials are verified with Twilio before they are stored. */
export function NewConnectionPage() {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { form, saving, submit, problem } = useConnectionForm({
    initialValues: emptyConnection,
    save: async (values) => await parley.createMessagingConnection(values),
    onSaved: async ({ id }) => {
      form.resetDirty();
      await queryClient.invalidateQueries({ queryKey: ["messaging-connections"] });
      await navigate({ to: "/messaging-connections/$connectionId", params: { connectionId: id } });
    },
  });
  return (
    <>
      <PageHeader
        title="New messaging connection"
        description="The account SID and the auth token are on the first page of Twilio's console."
      />
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Card component="form" withBorder padding="lg" maw={820} onSubmit={submit} noValidate>
        <Stack>
          <ConnectionFormFields form={form} isStored={false} />
          {problem !== undefined && <Problem error={problem} />}
          <Group justify="flex-end">
            <ButtonLink variant="default" to="/messaging-connections">
              Cancel
            </ButtonLink>
            <Button type="submit" loading={saving.isPending}>
              Verify and create
            </Button>
          </Group>
        </Stack>
      </Card>
    </>
  );
}
