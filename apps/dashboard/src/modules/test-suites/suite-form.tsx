import { Button, Card, Group, Select, Stack, Switch } from "@mantine/core";
import type { TestSuite, TestSuiteCreate } from "@parley/client";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParley } from "../../app/session/session.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SchemaField } from "../../ui/schema-field.tsx";
import { explain, findFault } from "../../ui/schema-field.rules.ts";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { VariablesField } from "../../ui/variables-field.tsx";
import { agentNamesQuery } from "../calls/calls.queries.ts";
import { suiteFields } from "./test-suite-fields.at-build.ts";
import { modeChoices } from "./test-suite-words.tsx";

type Values = Required<{ [Name in keyof TestSuiteCreate]: NonNullable<TestSuiteCreate[Name]> }>;

interface SuiteFormProps {
  initial: Values;
  action: string;
  save: (values: Values) => Promise<TestSuite>;
  onSaved: (suite: TestSuite) => Promise<unknown>;
  /** Buttons beside the one that saves. */
  children?: ReactNode;
}

const limits = ["testerModel", "judgeModel", "maxTurns", "maxDurationSeconds"] as const;

/** All settings of a suite. */
export function SuiteForm({ initial, action, save, onSaved, children }: SuiteFormProps) {
  const { data: agents } = useQuery(agentNamesQuery(useParley()));
  const { form, saving, submit, problem } = useApiForm<Values, TestSuite>({
    initialValues: initial,
    validate: (values) => ({
      name: findFault(suiteFields.name, values.name),
      agentId: values.agentId === "" ? "is required" : undefined,
    }),
    save,
    onSaved: async (suite) => {
      form.resetDirty();
      await onSaved(suite);
    },
  });
  return (
    <Card component="form" withBorder padding="lg" maw={720} onSubmit={submit} noValidate>
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Stack>
        <SchemaField form={form} path="name" schema={suiteFields.name} required />
        <Select
          label="Agent"
          description={explain(suiteFields.agentId.description)}
          searchable
          required
          allowDeselect={false}
          data={[...(agents ?? [])].map(([value, label]) => ({ value, label }))}
          {...form.getInputProps("agentId")}
          data-path="agentId"
        />
        <Select
          label="Test type"
          description="Each run can choose another one."
          allowDeselect={false}
          data={modeChoices}
          {...form.getInputProps("mode")}
          data-path="mode"
        />
        <VariablesField
          label="Default variables"
          description={explain(suiteFields.defaultVariables.description)}
          error={form.errors["defaultVariables"] as string | undefined}
          path="defaultVariables"
          value={form.getValues().defaultVariables}
          onChange={(value) => form.setFieldValue("defaultVariables", value as Values["defaultVariables"])}
        />
        <RunSettings form={form} />
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          {children}
          <Button type="submit" loading={saving.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

/** Models and limits of its runs, and what a passed run is needed for. */
function RunSettings({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      {limits.map((name) => (
        <SchemaField key={name} form={form} path={name} schema={suiteFields[name]} />
      ))}
      <Switch
        label="Release gate"
        description={explain(suiteFields.isReleaseGate.description)}
        data-path="isReleaseGate"
        {...form.getInputProps("isReleaseGate", { type: "checkbox" })}
      />
    </>
  );
}
