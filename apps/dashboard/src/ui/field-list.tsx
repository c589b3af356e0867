import { Card, Fieldset, Group, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type FieldDescription, type FieldTable, initialValues, valueOf } from "./field-table.rules.ts";
import { AddButton, RemoveButton } from "./list-buttons.tsx";
import { SchemaField } from "./schema-field.tsx";
import { explain, type FieldSchema, labelOf } from "./schema-field.rules.ts";
import { VariablesField } from "./variables-field.tsx";

interface FieldsProps<Values extends object> {
  form: UseFormReturnType<Values>;
  table: FieldTable;
  /** Those of the table to show, in this order. Default: all. */
  names?: readonly string[];
  /** Path of the object that has the fields, with a dot at its end. */
  prefix?: string;
}

/** An input for each field of a table. */
export function FieldList<Values extends object>({ form, table, names, prefix = "" }: FieldsProps<Values>) {
  return (names ?? Object.keys(table)).map((name) => {
    const field = table[name];
    if (field === undefined) return null;
    return <Field key={name} form={form} field={field} path={`${prefix}${name}`} />;
  });
}

interface FieldProps<Values extends object> {
  form: UseFormReturnType<Values>;
  field: FieldDescription;
  path: string;
}

function Field<Values extends object>({ form, field, path }: FieldProps<Values>) {
  const { fields, items, schema = {}, initial } = field;
  const name = path.split(".").at(-1) ?? path;
  if (fields !== undefined)
    return (
      <Fieldset legend={labelOf(name)}>
        <Stack>
          <FieldList form={form} table={fields} prefix={`${path}.`} />
        </Stack>
      </Fieldset>
    );
  if (items !== undefined) return <ItemList form={form} field={field} items={items} path={path} />;
  if (schema.type === "object") return <MapField form={form} path={path} schema={schema} />;
  return (
    <SchemaField form={form} path={path} schema={schema} initial={initial} required={initial === undefined} />
  );
}

function MapField<Values extends object>({
  form,
  path,
  schema,
}: Omit<FieldProps<Values>, "field"> & { schema: FieldSchema }) {
  const { value, error } = form.getInputProps(path) as { value: Record<string, unknown>; error?: string };
  return (
    <VariablesField
      label={labelOf(path.split(".").at(-1) ?? path)}
      description={explain(schema.description)}
      error={error}
      path={path}
      value={value}
      onChange={(next) => form.setFieldValue(path, next as never)}
    />
  );
}

interface ItemListProps<Values extends object> extends FieldProps<Values> {
  items: FieldTable;
}

function ItemList<Values extends object>({ form, field, items, path }: ItemListProps<Values>) {
  const name = labelOf(path.split(".").at(-1) ?? path);
  const list = valueOf(form.getValues(), path);
  const count = Array.isArray(list) ? list.length : 0;
  const { maxItems = Infinity, description = "" } = field.options ?? {};
  return (
    <Stack gap="sm" role="group" aria-label={name}>
      <div>
        <Text fw={500} size="sm">
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {explain(description)}
        </Text>
      </div>
      {Array.from({ length: count }, (_, index) => (
        <Card key={index} withBorder padding="md" bg="var(--house-ground)">
          <Group justify="space-between" mb="xs">
            <Text fw={500} size="sm">
              {index + 1}
            </Text>
            <RemoveButton
              what={`entry ${index + 1} of ${name}`}
              onClick={() => form.removeListItem(path, index)}
            />
          </Group>
          <Stack>
            <FieldList form={form} table={items} prefix={`${path}.${index}.`} />
          </Stack>
        </Card>
      ))}
      <AddButton
        isDisabled={count >= maxItems}
        onClick={() => form.insertListItem(path, initialValues(items) as never)}
      >{`Add to ${name.toLowerCase()}`}</AddButton>
    </Stack>
  );
}
