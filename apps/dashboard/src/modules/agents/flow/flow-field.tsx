import { Alert, Button, Group, Input, List, SegmentedControl, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMemo, useState } from "react";
import { JsonEditor } from "../../../ui/json-editor.tsx";
import { readJsonObject } from "../../../ui/json-text.rules.ts";
import { explain } from "../../../ui/schema-field.rules.ts";
import { agentFields } from "../agent-fields.at-build.ts";
import { FlowGraph } from "./flow-graph.tsx";
import type { FlowDefinition } from "./flow-layout.rules.ts";
import { flowLanguage } from "./flow-language.ts";
import { findSchemaFaults, type FlowSchema } from "./flow-schema.rules.ts";
import { sampleFlows } from "./sample-flows.at-build.ts";

const PATH = "flowDefinition";
const schema = agentFields[PATH].schema as FlowSchema;
const language = flowLanguage(schema);

interface FlowFieldProps {
  form: UseFormReturnType<Record<string, unknown>>;
}

/** The mode of an agent, and its flow as a graph and as JSON. */
export function FlowField({ form }: FlowFieldProps) {
  const stored = form.getValues()[PATH] as FlowDefinition | null;
  const [text, setText] = useState(() => (stored === null ? "" : JSON.stringify(stored, null, 2)));
  const problems = Object.entries(form.errors).filter(
    ([path]) => path === PATH || path.startsWith(`${PATH}.`),
  );
  const write = (next: string): void => {
    setText(next);
    form.clearErrors();
    if (next.trim() === "") return form.setFieldValue(PATH, null);
    const read = readJsonObject(next);
    // The form refuses a text that is no object.
    form.setFieldValue(PATH, "value" in read ? read.value : next);
  };
  // Others may have discarded or adopted a state.
  const shown = useMemo(
    () => (isSame(text, stored) ? text : stored === null ? "" : toText(stored)),
    [text, stored],
  );
  return (
    <Stack>
      <ModeChoice form={form} />
      {isDrawable(stored) && <FlowGraph flow={stored} faulty={faultyNodes(stored, problems)} />}
      <Problems problems={problems} />
      <Samples onChoose={(flow) => write(toText(flow))} />
      <JsonEditor
        label="Definition"
        description="Marks show what the schema does not allow; hold the pointer over a name for its meaning."
        path={PATH}
        text={shown}
        onChange={write}
        language={language}
      />
    </Stack>
  );
}

function ModeChoice({ form }: FlowFieldProps) {
  return (
    <Input.Wrapper
      label="Mode"
      labelElement="div"
      description={explain(agentFields.mode.schema?.description)}
    >
      <SegmentedControl
        aria-label="Mode"
        value={String(form.getValues()["mode"])}
        onChange={(mode) => form.setFieldValue("mode", mode)}
        data={[
          { value: "single_prompt", label: "Prompt" },
          { value: "flow", label: "Flow" },
        ]}
      />
    </Input.Wrapper>
  );
}

function Problems({ problems }: { problems: readonly [string, unknown][] }) {
  if (problems.length === 0) return null;
  return (
    <Alert color="red" title="The flow has problems">
      <List size="sm">
        {problems.map(([path, problem]) => (
          <List.Item key={path}>{String(problem)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Samples({ onChoose }: { onChoose: (flow: FlowDefinition) => void }) {
  return (
    <Group gap="xs">
      <Text size="sm">Begin with a sample:</Text>
      {Object.entries(sampleFlows).map(([name, flow]) => (
        <Button key={name} size="xs" variant="default" onClick={() => onChoose(flow)}>
          {name}
        </Button>
      ))}
    </Group>
  );
}

function toText(flow: unknown): string {
  return typeof flow === "string" ? flow : JSON.stringify(flow, null, 2);
}

/** Whether a text is that of the form's value. */
function isSame(text: string, value: unknown): boolean {
  if (typeof value === "string") return value === text;
  if (value === null) return text.trim() === "";
  const read = readJsonObject(text);
  return "value" in read && JSON.stringify(read.value) === JSON.stringify(value);
}

function isDrawable(value: unknown): value is FlowDefinition {
  return typeof value === "object" && value !== null && findSchemaFaults(schema, value).length === 0;
}

function faultyNodes({ nodes }: FlowDefinition, problems: readonly [string, unknown][]): Set<string> {
  return new Set(
    problems.flatMap(
      ([path]) => nodes[Number(/^flowDefinition\.nodes\.(\d+)/.exec(path)?.[1] ?? -1)]?.id ?? [],
    ),
  );
}
