import { Group, Input, Stack, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { AddButton, RemoveButton } from "./list-buttons.tsx";

interface VariablesFieldProps {
  label: string;
  description?: string;
  error?: string | undefined;
  /** Path in a form. */
  path?: string;
  value: Readonly<Record<string, unknown>>;
  onChange: (value: Record<string, unknown>) => void;
}

interface Row {
  id: number;
  name: string;
  text: string;
}

/** A map of names to values. Numbers, true, false and null are kept as such; everything else is text. */
export function VariablesField({ label, description, error, path, value, onChange }: VariablesFieldProps) {
  const id = useId();
  const [rows, setRows] = useState<readonly Row[]>(() => rowsOf(value));
  // Values set from outside, such as by discarding, replace what was typed.
  const shown = JSON.stringify(valuesOf(rows)) === JSON.stringify(value) ? rows : rowsOf(value);
  const change = (next: readonly Row[]): void => {
    setRows(next);
    onChange(valuesOf(next));
  };
  const set = (row: Row, part: Partial<Row>): void =>
    change(shown.map((each) => (each.id === row.id ? { ...each, ...part } : each)));
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error}
      labelElement="div"
      role="group"
    >
      <Stack gap="xs" mt={6}>
        {shown.map((row) => (
          <VariableRow
            key={row.id}
            row={row}
            onChange={(part) => set(row, part)}
            onRemove={() => change(shown.filter((each) => each.id !== row.id))}
          />
        ))}
        <AddButton path={path} onClick={() => setRows([...shown, { id: nextId(shown), name: "", text: "" }])}>
          Add a variable
        </AddButton>
      </Stack>
    </Input.Wrapper>
  );
}

interface VariableRowProps {
  row: Row;
  onChange: (part: Partial<Row>) => void;
  onRemove: () => void;
}

function VariableRow({ row, onChange, onRemove }: VariableRowProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <TextInput
        aria-label={`Name of ${row.name || "the variable"}`}
        placeholder="name"
        value={row.name}
        flex={1}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <TextInput
        aria-label={`Value of ${row.name || "the variable"}`}
        placeholder="value"
        value={row.text}
        flex={2}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <RemoveButton what={row.name || "the variable"} onClick={onRemove} />
    </Group>
  );
}

function rowsOf(value: Readonly<Record<string, unknown>>): Row[] {
  return Object.entries(value).map(([name, each], id) => ({
    id,
    name,
    text: typeof each === "string" ? each : JSON.stringify(each),
  }));
}

const nextId = (rows: readonly Row[]): number => Math.max(-1, ...rows.map(({ id }) => id)) + 1;

/** Rows without a name are not finished yet, and left out. */
function valuesOf(rows: readonly Row[]): Record<string, unknown> {
  return Object.fromEntries(
    rows.filter(({ name }) => name !== "").map(({ name, text }) => [name, read(text)]),
  );
}

function read(text: string): unknown {
  return /^(true|false|null|-?\d{1,15}(\.\d{1,10})?)$/.test(text) ? (JSON.parse(text) as unknown) : text;
}
