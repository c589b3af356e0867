import { Button, Card, Group, SegmentedControl, Stack, Text, Textarea, Title } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { TestCase, TestCaseCreate } from "@parley/client";
import { lazy, type ReactNode, Suspense } from "react";
import { LoadingLines } from "../../../ui/loading.tsx";
import { AddButton, RemoveButton } from "../../../ui/list-buttons.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { SchemaField } from "../../../ui/schema-field.tsx";
import { explain, withoutNull as splitNull, type FieldSchema } from "../../../ui/schema-field.rules.ts";
import { UnsavedChangesGuard } from "../../../ui/unsaved-changes.tsx";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { VariablesField } from "../../../ui/variables-field.tsx";
import { caseFields, conditionFields } from "../test-suite-fields.at-build.ts";
import { AssertionsField } from "./assertions-field.tsx";
import { bodyOf, type CaseValues, findCaseFaults } from "./case-values.rules.ts";

const JsonEditor = lazy(async () => ({ default: (await import("../../../ui/json-editor.tsx")).JsonEditor }));

interface CaseFormProps {
  initial: CaseValues;
  action: string;
  save: (body: TestCaseCreate) => Promise<TestCase>;
  onSaved: (saved: TestCase) => Promise<unknown>;
  /** Buttons beside the one that saves. */
  children?: ReactNode;
}

type Form = UseFormReturnType<CaseValues>;

const conditionNames = [
  "backgroundNoise",
  "packetLossPercent",
  "interruptsAfterMs",
  "silentAfterTurns",
] as const;

/** Empty texts stay empty: null would mean the same. */
const withoutNull = (schema: FieldSchema): FieldSchema => splitNull(schema).schema;

/** All of a case: who speaks to the agent, and what decides. */
export function CaseForm({ initial, action, save, onSaved, children }: CaseFormProps) {
  const { form, saving, submit, problem } = useApiForm<CaseValues, TestCase>({
    initialValues: initial,
    validate: findCaseFaults,
    save: async (values) => await save(bodyOf(values)),
    onSaved: async (saved) => {
      form.resetDirty();
      await onSaved(saved);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Stack maw={820}>
        <Part title="The conversation">
          <SchemaField form={form} path="name" schema={caseFields.name} required />
          <Tester form={form} />
          <VariablesField
            label="Variables"
            description={explain(caseFields.variables.description)}
            error={form.errors["variables"] as string | undefined}
            path="variables"
            value={form.getValues().variables}
            onChange={(value) => form.setFieldValue("variables", value as CaseValues["variables"])}
          />
        </Part>
        <CallConditions form={form} />
        <Part title="What must happen">
          <SchemaField
            form={form}
            path="scoringRubric"
            schema={withoutNull(caseFields.scoringRubric)}
            label="Rubric of the judge"
          />
          <AssertionsField form={form} />
          <SchemaField form={form} path="attemptsPerRun" schema={withoutNull(caseFields.attemptsPerRun)} />
        </Part>
        <Part title="Answers of tools">
          <Mocks form={form} />
        </Part>
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          {children}
          <Button type="submit" loading={saving.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="md">
        {title}
      </Title>
      <Stack>{children}</Stack>
    </Card>
  );
}

/** Conditions under which the tester calls. */
function CallConditions({ form }: { form: Form }) {
  return (
    <Part title="How the call sounds">
      <Text size="sm" c="dimmed">
        Only in runs by voice.
      </Text>
      {conditionNames.map((name) => (
        <SchemaField
          key={name}
          form={form}
          path={`callerConditions.${name}`}
          schema={conditionFields[name]}
        />
      ))}
    </Part>
  );
}

function Tester({ form }: { form: Form }) {
  const { tester } = form.getValues();
  return (
    <Stack gap="sm">
      <Text fw={600} size="sm">
        Who speaks to the agent
      </Text>
      <SegmentedControl
        aria-label="Who speaks to the agent"
        transitionDuration={0}
        data={[
          { value: "script", label: "A language model" },
          { value: "lines", label: "Fixed lines" },
        ]}
        {...form.getInputProps("tester")}
      />
      {tester === "script" ? (
        <SchemaField form={form} path="script" schema={withoutNull(caseFields.script)} />
      ) : (
        <CallerLines form={form} />
      )}
    </Stack>
  );
}

function CallerLines({ form }: { form: Form }) {
  const { callerLines } = form.getValues();
  return (
    <Stack gap="xs" role="group" aria-label="Lines of the tester">
      <Text size="xs" c="dimmed">
        Said word for word, one in each turn; after the last answer the tester ends the conversation.
        Variables are filled in.
      </Text>
      {callerLines.map((_line, index) => (
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <Textarea
            flex={1}
            autosize
            minRows={1}
            aria-label={`Line ${index + 1}`}
            {...form.getInputProps(`callerLines.${index}`)}
            data-path={`callerLines.${index}`}
          />
          <RemoveButton
            what={`line ${index + 1}`}
            isDisabled={callerLines.length === 1}
            onClick={() => form.removeListItem("callerLines", index)}
          />
        </Group>
      ))}
      <AddButton onClick={() => form.insertListItem("callerLines", "")}>Add a line</AddButton>
    </Stack>
  );
}

const MOCKS_EXPLANATION =
  "A list, such as " +
  '[{"toolName": "look_up_order", "arguments": {"number": "1234"}, "answers": [{"text": "shipped", "delayMs": 500}]}]. ' +
  'Answers are given in turn, the last one again and again; "isError": true makes the tool fail. Tools without a mock are called for real.';

function Mocks({ form }: { form: Form }) {
  return (
    <Suspense fallback={<LoadingLines />}>
      <JsonEditor
        label="Mocks"
        description={MOCKS_EXPLANATION}
        error={mocksFault(form)}
        path="toolMocks"
        text={form.getValues().toolMocks}
        onChange={(text) => form.setFieldValue("toolMocks", text)}
      />
    </Suspense>
  );
}

/** The API's objections name a place inside the text. */
function mocksFault({ errors }: Form): string | undefined {
  const faults = Object.entries(errors).filter(([path]) => path.startsWith("toolMocks"));
  return faults.length === 0
    ? undefined
    : faults
        .map(([path, message]) => `${path.replace(/^toolMocks\.?/, "")} ${message as string}`.trim())
        .join("; ");
}
