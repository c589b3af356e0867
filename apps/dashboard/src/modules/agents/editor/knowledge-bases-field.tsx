import { MultiSelect } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import type { FieldDescription } from "../../../ui/field-table.rules.ts";
import { explain } from "../../../ui/schema-field.rules.ts";
import { knowledgeBaseNamesQuery } from "../agents.queries.ts";

interface KnowledgeBasesFieldProps {
  form: UseFormReturnType<Record<string, unknown>>;
  description: FieldDescription;
}

const NAME = "knowledgeBaseIds";

/** Choice of the agent's knowledge bases by their names. */
export function KnowledgeBasesField({ form, description }: KnowledgeBasesFieldProps) {
  const { data: choices, error: problem } = useQuery(knowledgeBaseNamesQuery(useParley()));
  const { value, error } = form.getInputProps(NAME) as { value: string[]; error?: string };
  return (
    <MultiSelect
      label="Knowledge bases"
      description={explain(description.schema?.description)}
      error={error ?? problem?.message}
      placeholder={value.length === 0 ? "None" : ""}
      nothingFoundMessage={choices?.length === 0 ? "There is no knowledge base yet" : "Nothing matches"}
      clearable
      searchable
      data={choices ?? []}
      value={choices === undefined ? [] : value}
      onChange={(ids) => form.setFieldValue(NAME, ids)}
      data-path={NAME}
    />
  );
}
