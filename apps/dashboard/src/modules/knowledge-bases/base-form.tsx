import { Stack, Textarea, TextInput } from "@mantine/core";
import type { KnowledgeBase } from "@parley/client";
import { FormFooter } from "../../ui/form-footer.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";

interface Values {
  name: string;
  description: string;
}

interface BaseFormProps {
  base?: KnowledgeBase;
  save: (values: { name: string; description: string | null }) => Promise<KnowledgeBase>;
  onSaved: (base: KnowledgeBase) => void | Promise<void>;
  onCancel: () => void;
  action?: string;
}

/** Name and description of a knowledge base. */
export function BaseForm({ base, save, onSaved, onCancel, action = "Save" }: BaseFormProps) {
  const { form, saving, submit, problem } = useApiForm<Values, KnowledgeBase>({
    initialValues: { name: base?.name ?? "", description: base?.description ?? "" },
    validate: ({ name }) => ({ name: name.trim() === "" ? "is required" : undefined }),
    save: async ({ name, description }) =>
      await save({ name: name.trim(), description: description.trim() === "" ? null : description.trim() }),
    onSaved,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          data-autofocus
          data-path="name"
          required
          maxLength={128}
          {...form.getInputProps("name")}
        />
        <Textarea
          label="Description"
          description="What the documents are about, for your colleagues."
          data-path="description"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={2_000}
          {...form.getInputProps("description")}
        />
        <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onCancel} action={action} />
      </Stack>
    </form>
  );
}
