import { Card, Group, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { labelOf } from "../../../ui/schema-field.rules.ts";
import { AddButton, RemoveButton } from "../../../ui/list-buttons.tsx";
import { endReasonNames } from "../test-suite-fields.at-build.ts";
import { type AssertionDraft, type AssertionType, newDraft } from "./assertions.rules.ts";
import type { CaseValues } from "./case-values.rules.ts";

const typeLabels: Readonly<Record<AssertionType, string>> = {
  tool_called: "The agent calls a tool",
  tool_not_called: "The agent does not call a tool",
  said: "Words are said",
  not_said: "Words are not said",
  order: "Things happen in an order",
  latency: "Every answer is fast enough",
  end_reason: "The conversation ends in a way",
  extraction: "A field is extracted",
};

const types = Object.entries(typeLabels).map(([value, label]) => ({ value, label }));

type Form = UseFormReturnType<CaseValues>;

/** Conditions of a case that need no judge. */
export function AssertionsField({ form }: { form: Form }) {
  const { assertions } = form.getValues();
  return (
    <Stack gap="sm" role="group" aria-label="Assertions">
      <div>
        <Text fw={600} size="sm">
          Assertions
        </Text>
        <Text size="xs" c="dimmed">
          Checked exactly, without a language model. All must hold.
        </Text>
      </div>
      {assertions.map((draft, index) => (
        <Card key={index} withBorder padding="md" bg="var(--house-ground)">
          <Group align="flex-start" wrap="nowrap" mb="sm">
            <Select
              flex={1}
              aria-label={`Type of assertion ${index + 1}`}
              allowDeselect={false}
              data={types}
              {...form.getInputProps(`assertions.${index}.type`)}
              data-path={`assertions.${index}.type`}
            />
            <RemoveButton
              what={`assertion ${index + 1}`}
              onClick={() => form.removeListItem("assertions", index)}
            />
          </Group>
          <Details form={form} draft={draft} path={`assertions.${index}`} />
        </Card>
      ))}
      <AddButton path="assertions" onClick={() => form.insertListItem("assertions", newDraft("said"))}>
        Add an assertion
      </AddButton>
    </Stack>
  );
}

interface DetailsProps {
  form: Form;
  draft: AssertionDraft;
  path: string;
}

function Details({ form, draft, path }: DetailsProps) {
  const at = (name: string) => ({ ...form.getInputProps(`${path}.${name}`), "data-path": `${path}.${name}` });
  switch (draft.type) {
    case "tool_called":
    case "tool_not_called":
      return <ToolDetails at={at} isCalled={draft.type === "tool_called"} />;
    case "said":
    case "not_said":
      return (
        <Stack gap="sm">
          <TextInput label="Words" description="Case and punctuation do not matter." {...at("text")} />
          <Select
            label="Speaker"
            allowDeselect={false}
            data={[
              { value: "agent", label: "Agent" },
              { value: "user", label: "Tester" },
            ]}
            {...at("role")}
          />
        </Stack>
      );
    case "order":
      return <OrderDetails form={form} draft={draft} path={path} />;
    case "latency":
      return (
        <NumberInput label="Longest time to an answer" suffix=" ms" allowDecimal={false} {...at("maxMs")} />
      );
    case "end_reason":
      return (
        <Select
          label="How it ends"
          searchable
          allowDeselect={false}
          data={endReasonNames.map((value) => ({ value, label: labelOf(value) }))}
          {...at("endReason")}
        />
      );
    case "extraction":
      return (
        <Stack gap="sm">
          <TextInput label="Name of the field" {...at("field")} />
          <TextInput label="Value" {...at("value")} />
        </Stack>
      );
  }
}

function ToolDetails({ at, isCalled }: { at: (name: string) => object; isCalled: boolean }) {
  return (
    <Stack gap="sm">
      <TextInput label="Tool" placeholder="look_up_order" {...at("toolName")} />
      <TextInput
        label="Arguments"
        description="As JSON. Empty: any."
        placeholder='{"number": "1234"}'
        {...at("arguments")}
      />
      <Select
        label="Other arguments"
        allowDeselect={false}
        data={[
          { value: "partial", label: "May be there" },
          { value: "exact", label: "Must not be there" },
        ]}
        {...at("match")}
      />
      {isCalled && (
        <NumberInput
          label="Number of calls"
          description="Empty: at least one."
          min={1}
          max={100}
          allowDecimal={false}
          {...at("times")}
        />
      )}
    </Stack>
  );
}

function OrderDetails({ form, draft: { sequence }, path }: DetailsProps) {
  return (
    <Stack gap="xs">
      {sequence.map((_step, index) => (
        <Group key={index} gap="xs" wrap="nowrap">
          <Select
            aria-label={`Kind of step ${index + 1}`}
            w={130}
            allowDeselect={false}
            data={[
              { value: "words", label: "Agent says" },
              { value: "tool", label: "Tool" },
            ]}
            {...form.getInputProps(`${path}.sequence.${index}.kind`)}
          />
          <TextInput
            aria-label={`Step ${index + 1}`}
            flex={1}
            {...form.getInputProps(`${path}.sequence.${index}.words`)}
            data-path={`${path}.sequence.${index}`}
          />
          <RemoveButton
            what={`step ${index + 1}`}
            isDisabled={sequence.length <= 2}
            onClick={() => form.removeListItem(`${path}.sequence`, index)}
          />
        </Group>
      ))}
      <AddButton
        onClick={() => form.insertListItem(`${path}.sequence`, { kind: "words", words: "" } as never)}
      >
        Add a step
      </AddButton>
    </Stack>
  );
}
