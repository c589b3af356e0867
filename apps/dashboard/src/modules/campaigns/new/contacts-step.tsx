import { Button, Group, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Campaign } from "@parley/client";
import { useMutation } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { CampaignValues } from "../form/campaign-values.rules.ts";
import { ContactImportForm } from "../import/contact-import-form.tsx";
import { type CsvFile, readCsv } from "../import/csv-file.ts";
import type { ContactImport } from "../import/use-contact-import.ts";

const MAX_SHOWN_FAULTS = 5;
/** Contacts that were not reached; those on the do-not-call list are not asked again. */
const notReached = ["no_answer", "busy", "failed", "canceled"];

interface ContactsStepProps {
  model: ContactImport;
  form: UseFormReturnType<CampaignValues>;
  original: Campaign | undefined;
}

/** The contacts of a new campaign: from a file, or from the campaign that is copied. */
export function ContactsStep({ model, form, original }: ContactsStepProps) {
  const faults = Object.keys(form.errors).filter((path) => path.startsWith("contacts"));
  return (
    <Stack gap="md">
      {original !== undefined && model.file === undefined && (
        <OriginalContacts original={original} setFile={model.setFile} />
      )}
      {faults.slice(0, MAX_SHOWN_FAULTS).map((path) => (
        <Text key={path} size="sm" c="red" role="alert">
          {path}: {form.errors[path]}
        </Text>
      ))}
      <ContactImportForm model={model} />
    </Stack>
  );
}

interface OriginalContactsProps {
  original: Campaign;
  setFile: (file: CsvFile) => void;
}

/** Takes the contacts of the original: its exported file is read as any other. */
function OriginalContacts({ original: { id, name }, setFile }: OriginalContactsProps) {
  const parley = useParley();
  const taking = useMutation({
    mutationFn: async (isTaken: (outcome: string) => boolean) => {
      const exported = await readCsv(
        `Contacts of ${name}`,
        await (await parley.exportCampaignContacts(id)).text(),
      );
      const column = exported.header.indexOf("outcome");
      const rows = exported.rows.filter((row) => isTaken(row[column] ?? ""));
      if (rows.length === 0) throw new Error("The campaign has no such contacts.");
      return { ...exported, rows };
    },
    onSuccess: setFile,
  });
  return (
    <Stack gap="xs">
      <Text size="sm">Take the contacts of {name}:</Text>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          loading={taking.isPending}
          onClick={() => taking.mutate((outcome) => outcome === "" || notReached.includes(outcome))}
        >
          Those who were not reached
        </Button>
        <Button
          variant="default"
          size="xs"
          loading={taking.isPending}
          onClick={() => taking.mutate(() => true)}
        >
          All
        </Button>
      </Group>
      {taking.error !== null && <Problem error={taking.error} />}
    </Stack>
  );
}
