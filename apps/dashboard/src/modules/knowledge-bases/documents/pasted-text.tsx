import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import type { KnowledgeDocument } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { toast } from "../../../ui/toast.ts";
import { useApiForm } from "../../../ui/use-api-form.ts";

/** Makes a document of a text that is pasted or written. */
export function PastedText({ baseId }: { baseId: string }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<{ name: string; text: string }, KnowledgeDocument>({
    initialValues: { name: "", text: "" },
    validate: ({ name, text }) => ({
      name: name.trim() === "" ? "is required" : undefined,
      text: text.trim() === "" ? "is required" : undefined,
    }),
    save: async ({ name, text }) =>
      await parley.createKnowledgeDocument(baseId, {
        name: name.trim(),
        type: "markdown",
        document: new Blob([text], { type: "text/markdown" }),
      }),
    onSaved: async ({ name }) => {
      form.reset();
      toast.done(`The document ${name} is added.`);
      await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name"
          data-path="name"
          required
          maxLength={200}
          placeholder="Opening hours"
          {...form.getInputProps("name")}
        />
        <Textarea
          label="Text"
          description="Lines that begin with # are headings: a passage is found best under a clear one."
          data-path="text"
          required
          autosize
          minRows={6}
          maxRows={20}
          placeholder={"# Parking\nThe garage costs 18 euros a day. The yard is free."}
          {...form.getInputProps("text")}
        />
        {problem !== undefined && <Problem error={problem} />}
        <Group>
          <Button type="submit" loading={saving.isPending}>
            Add the text
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
