import { Button, Card, Group, Stack } from "@mantine/core";
import type { DoNotCallSettings } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { Problem } from "../../ui/problem.tsx";
import { findFault } from "../../ui/schema-field.rules.ts";
import { SchemaField } from "../../ui/schema-field.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { doNotCallSettingsFields } from "./do-not-call-fields.at-build.ts";
import { doNotCallSettingsQuery } from "./do-not-call.queries.ts";

/** How often campaigns dial one number on one day. */
export function DailyLimitCard() {
  const settings = useQuery(doNotCallSettingsQuery(useParley()));
  return (
    <Card withBorder padding="lg" mt="lg">
      <Loaded query={settings}>
        {(loaded) => <DailyLimit key={loaded.maxDialsPerDay} settings={loaded} />}
      </Loaded>
    </Card>
  );
}

function DailyLimit({ settings: { maxDialsPerDay } }: { settings: DoNotCallSettings }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const mayChange = useMay()("updateDoNotCallSettings");
  const { maxDialsPerDay: schema } = doNotCallSettingsFields;
  const { form, saving, submit, problem } = useApiForm<{ maxDialsPerDay: number | null }, DoNotCallSettings>({
    initialValues: { maxDialsPerDay },
    validate: (values) => ({ maxDialsPerDay: findFault(schema, values.maxDialsPerDay) }),
    save: async (values) => await parley.updateDoNotCallSettings(values),
    onSaved: async () => {
      toast.done("The limit is saved.");
      await queryClient.invalidateQueries({ queryKey: ["do-not-call", "settings"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SchemaField
          form={form}
          path="maxDialsPerDay"
          label="Dials per number and day"
          schema={schema}
          placeholder="No limit"
          disabled={!mayChange}
        />
        {problem !== undefined && <Problem error={problem} />}
        {mayChange && (
          <Group justify="flex-end">
            <Button type="submit" variant="default" loading={saving.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
