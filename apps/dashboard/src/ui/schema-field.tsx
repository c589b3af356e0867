import { NumberInput, Select, Skeleton, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { lazy, Suspense } from "react";
import {
  describeLimits,
  explain,
  type FieldSchema,
  labelOf,
  unitOf,
  withoutNull,
} from "./schema-field.rules.ts";

const LONG_TEXT_CHARACTERS = 300;
/** Prompts and the like. */
const PROMPT_CHARACTERS = 10_000;
const PROMPT_HEIGHT_PX = 190;
const MAX_SELECT_STEPS = 100;

/** A large library, which only pages with prompts need. */
const PromptEditor = lazy(async () => ({ default: (await import("./prompt-editor.tsx")).PromptEditor }));

interface SchemaFieldProps<Values extends object> {
  form: UseFormReturnType<Values>;
  /** Path in the form's values, such as `warmTransferConfig.holdMessage`. */
  path: string;
  /** Of the contract: description, range, choices. */
  schema: FieldSchema;
  /** Default of the contract, shown beside the range. */
  initial?: unknown;
  /** Default: made of the path's last name. */
  label?: string;
  /** Example in an empty text, or what an empty number means. */
  placeholder?: string;
  required?: boolean;
  disabled?: boolean;
}

/** The input that fits a field of the contract, with its explanation, range and default. An empty text is null if it may be. */
export function SchemaField<Values extends object>(props: SchemaFieldProps<Values>) {
  const { form, path, initial, required = false, disabled = false } = props;
  const { schema, isNullable } = withoutNull(props.schema);
  const name = path.split(".").at(-1) ?? path;
  const value: unknown = form.getInputProps(path).value;
  const { error, onBlur } = form.getInputProps(path);
  const set = (next: unknown): void => form.setFieldValue(path, next as never);
  const shared = {
    label: props.label ?? labelOf(name),
    description: [explain(schema.description), describeLimits(schema, initial)]
      .filter((text) => text !== "")
      .join(" "),
    error: error as string | undefined,
    onBlur,
    required,
    disabled,
    "data-path": path,
  };
  const setText = (text: string): void => set(text === "" && isNullable ? null : text);
  if (schema.type === "boolean")
    return <Switch {...shared} checked={value === true} onChange={({ target }) => set(target.checked)} />;
  if (schema.enum !== undefined) {
    const data = schema.enum.map(String);
    return <Select {...shared} data={data} allowDeselect={false} value={asText(value)} onChange={set} />;
  }
  if (schema.type === "integer" || schema.type === "number") {
    return (
      <NumberInput
        {...shared}
        allowDecimal={schema.type === "number"}
        step={stepOf(schema)}
        {...suffixOf(name)}
        placeholder={props.placeholder}
        value={typeof value === "number" ? value : ""}
        onChange={(next) => set(next === "" ? null : next)}
      />
    );
  }
  if (schema.type === "array")
    return <TagsInput {...shared} value={Array.isArray(value) ? value.map(String) : []} onChange={set} />;
  return (
    <TextField
      shared={shared}
      schema={schema}
      placeholder={props.placeholder}
      value={value}
      onChange={setText}
    />
  );
}

interface TextFieldProps {
  shared: {
    label: string;
    description: string;
    error: string | undefined;
    required: boolean;
    disabled: boolean;
    "data-path": string;
    onBlur: () => void;
  };
  schema: FieldSchema;
  placeholder: string | undefined;
  value: unknown;
  onChange: (text: string) => void;
}

/** One line, several, or an editor of prompts, by the longest text that is allowed. */
function TextField({ shared, schema, placeholder, value, onChange }: TextFieldProps) {
  const { maxLength = 0, pattern = "" } = schema;
  const { label, description, error, required, disabled, "data-path": path } = shared;
  const text = asText(value);
  if (maxLength >= PROMPT_CHARACTERS && !disabled)
    return (
      <Suspense fallback={<Skeleton height={PROMPT_HEIGHT_PX} />}>
        <PromptEditor {...{ label, description, error, required, path, text, onChange }} />
      </Suspense>
    );
  const input = { ...shared, value: text };
  if (maxLength >= LONG_TEXT_CHARACTERS && !pattern.startsWith("^http"))
    return (
      <Textarea
        {...input}
        autosize
        minRows={2}
        maxRows={24}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  return <TextInput {...input} placeholder={placeholder} onChange={({ target }) => onChange(target.value)} />;
}

function suffixOf(name: string): { suffix?: string } {
  const unit = unitOf(name);
  return unit === undefined ? {} : { suffix: ` ${unit}` };
}

function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function stepOf({ type, minimum = 0, maximum = 1 }: FieldSchema): number {
  if (type === "integer") return maximum - minimum > MAX_SELECT_STEPS ? 10 : 1;
  return maximum - minimum <= 2 ? 0.1 : 1;
}
