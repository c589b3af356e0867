import { Modal, Stack } from "@mantine/core";
import type { CustomTool, CustomToolCreate } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { FieldList } from "../../../ui/field-list.tsx";
import { findFaults, initialValues } from "../../../ui/field-table.rules.ts";
import { FormFooter } from "../../../ui/form-footer.tsx";
import { JsonEditor } from "../../../ui/json-editor.tsx";
import { readJsonObject } from "../../../ui/json-text.rules.ts";
import { toast } from "../../../ui/toast.ts";
import { explain } from "../../../ui/schema-field.rules.ts";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { customToolFields } from "../agent-fields.at-build.ts";
import { KeyValueList } from "./key-value-list.tsx";

const { schema: schemaField, headers, queryParams, ...plainFields } = customToolFields;
const exampleSchema = {
  description: "Looks an order up by its number.",
  parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
};

interface ToolFormProps {
  agentId: string;
  /** `undefined`: a new one. */
  tool: CustomTool | undefined;
  onClose: () => void;
}

function useToolForm({ agentId, tool, onClose }: ToolFormProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [schemaText, setSchemaText] = useState(JSON.stringify(tool?.schema ?? exampleSchema, null, 2));
  const read = readJsonObject(schemaText);
  const form = useApiForm<Record<string, unknown>, unknown>({
    initialValues: tool === undefined ? initialValues(customToolFields) : { ...tool },
    validate: (values) => ({
      ...findFaults({ ...plainFields, headers, queryParams }, values),
      ...("fault" in read && { schema: read.fault }),
    }),
    save: async (values) => {
      const names = Object.keys(customToolFields);
      const body = {
        ...Object.fromEntries(names.map((name) => [name, values[name]])),
        ...("value" in read && { schema: read.value }),
      } as CustomToolCreate;
      return tool === undefined
        ? await parley.createCustomTool(agentId, body)
        : await parley.updateCustomTool(agentId, tool.id, body);
    },
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: ["agents"] });
      toast.done("The tool is saved.");
      onClose();
    },
  });
  return { ...form, schemaText, setSchemaText };
}

/** All settings of a tool, with the schema by which the language model calls it. */
export function ToolForm(props: ToolFormProps) {
  const { tool, onClose } = props;
  const { form, saving, submit, problem, schemaText, setSchemaText } = useToolForm(props);
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={tool === undefined ? "New tool" : `Edit ${tool.name}`}
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <FieldList form={form} table={plainFields} names={["name", "webhookUrl", "httpMethod"]} />
          <JsonEditor
            label="Schema"
            description={explain(schemaField.schema?.description)}
            error={form.errors["schema"] as string | undefined}
            path="schema"
            text={schemaText}
            onChange={setSchemaText}
          />
          <KeyValueList form={form} path="headers" description={headers.schema?.description} />
          <KeyValueList form={form} path="queryParams" description={queryParams.schema?.description} />
          <FieldList
            form={form}
            table={plainFields}
            names={["sendRawRequestBody", "responseMode", "enabled"]}
          />
          <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
