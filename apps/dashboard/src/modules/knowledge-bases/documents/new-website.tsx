import { Button, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { KnowledgeDocument } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { toast } from "../../../ui/toast.ts";
import { useApiForm } from "../../../ui/use-api-form.ts";
import { maxResyncIntervalHours, maxWebsitePages } from "../document-limits.at-build.ts";

interface Website {
  url: string;
  maxPages: number;
  /** Empty: never. */
  resyncIntervalHours: number | "";
}

/** Makes a document of a web page, with the pages that it leads to. */
export function NewWebsite({ baseId }: { baseId: string }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<Website, KnowledgeDocument>({
    initialValues: { url: "", maxPages: 1, resyncIntervalHours: "" },
    validate: ({ url }) => ({
      url: /^https?:\/\/\S+$/i.test(url.trim()) ? undefined : "must begin with https:// or http://",
    }),
    save: async ({ url, maxPages, resyncIntervalHours }) =>
      await parley.addKnowledgeWebsite(baseId, {
        url: url.trim(),
        maxPages: maxPages || 1,
        resyncIntervalHours: resyncIntervalHours || null,
      }),
    onSaved: async ({ name }) => {
      form.reset();
      toast.done(`The website ${name} is added.`);
      await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Address"
          description="The first page. Pages of the same site that it leads to follow, as far as its robots.txt allows."
          data-path="url"
          required
          maxLength={2_000}
          placeholder="https://example.com/help"
          {...form.getInputProps("url")}
        />
        <ReadingFields form={form} />
        {problem !== undefined && <Problem error={problem} />}
        <Group>
          <Button type="submit" loading={saving.isPending}>
            Add the website
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** How much of the website is read, and how often. */
function ReadingFields({ form }: { form: UseFormReturnType<Website> }) {
  return (
    <>
      <NumberInput
        label="Pages at most"
        data-path="maxPages"
        min={1}
        max={maxWebsitePages}
        maw={160}
        allowDecimal={false}
        {...form.getInputProps("maxPages")}
      />
      <NumberInput
        label="Read again every"
        description="Empty: only when you ask for it."
        data-path="resyncIntervalHours"
        min={1}
        max={maxResyncIntervalHours}
        maw={160}
        suffix=" h"
        allowDecimal={false}
        {...form.getInputProps("resyncIntervalHours")}
      />
    </>
  );
}
