import {
  Button,
  Card,
  FileInput,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Upload from "lucide-react/icons/upload";
import { useState } from "react";
import { useParley } from "../../../app/session/session.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { organizationQuery } from "../campaigns.queries.ts";
import { ColumnChoices } from "./column-choices.tsx";
import { ContactPreview } from "./contact-preview.tsx";
import { type CsvFile, readCsv } from "./csv-file.ts";
import type { ContactImport } from "./use-contact-import.ts";

const countryNames = new Intl.DisplayNames("en", { type: "region" });

interface ContactImportFormProps {
  model: ContactImport;
}

/** From a file to checked contacts: which column means what, what is wrong with which row, and when people may be called. */
export function ContactImportForm({ model }: ContactImportFormProps) {
  const { file, columnFault, isChecking, error, retry, contacts } = model;
  return (
    <Stack gap="md">
      <FileChoice setFile={model.setFile} file={file} />
      {file !== undefined && (
        <>
          <ColumnChoices file={file} columns={model.columns} onChange={model.setColumns} />
          {columnFault !== undefined && <Problem error={columnFault} />}
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <CountryChoice value={model.country} onChange={model.setCountry} />
            <Switch
              label="Guess time zones from the numbers"
              description="For contacts whose row has none. Mobile numbers keep the area code of the place where they were issued."
              checked={model.isGuessing}
              onChange={({ target }) => model.setGuessing(target.checked)}
            />
          </SimpleGrid>
          {isChecking && (
            <Text role="status" c="dimmed">
              Checking {file.rows.length.toLocaleString("en")} rows…
            </Text>
          )}
          {error !== null && <Problem error={error} onRetry={retry} />}
          {contacts !== undefined && <ContactPreview model={model} contacts={contacts} />}
        </>
      )}
    </Stack>
  );
}

interface FileChoiceProps {
  file: CsvFile | undefined;
  setFile: (file: CsvFile | undefined) => void;
}

function FileChoice({ file, setFile }: FileChoiceProps) {
  const [problem, setProblem] = useState<unknown>();
  const read = async (name: string, load: () => Promise<ArrayBuffer | string>): Promise<void> => {
    try {
      setFile(await readCsv(name, await load()));
      setProblem(undefined);
    } catch (error) {
      setFile(undefined);
      setProblem(error);
    }
  };
  return (
    <Stack gap="sm">
      <FileInput
        label="File of contacts"
        description="CSV, with a column of phone numbers. Other columns become variables that the agent’s texts can use."
        placeholder={file?.name ?? "Choose a file"}
        accept=".csv,.tsv,.txt,text/csv"
        leftSection={<Upload size={16} aria-hidden />}
        data-path="contacts"
        onChange={(chosen) => {
          if (chosen !== null) void read(chosen.name, async () => await chosen.arrayBuffer());
        }}
      />
      {file === undefined && <PastedLines onUse={(text) => void read("Pasted lines", async () => text)} />}
      {problem !== undefined && <Problem error={problem} />}
      {file !== undefined && (
        <Group gap="sm">
          <Text size="sm">
            {file.name}: {file.rows.length.toLocaleString("en")} rows
          </Text>
          <Button variant="subtle" size="xs" onClick={() => setFile(undefined)}>
            Remove
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function PastedLines({ onUse }: { onUse: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <Card withBorder padding="md" bg="var(--house-ground)">
      <Stack gap="xs" align="flex-start">
        <Textarea
          label="Or paste lines"
          placeholder={"+1 415 555 0199, Ada\n+1 415 555 0198, Grace"}
          autosize
          minRows={2}
          maxRows={8}
          w="100%"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button variant="default" size="xs" disabled={text.trim() === ""} onClick={() => onUse(text)}>
          Use these lines
        </Button>
      </Stack>
    </Card>
  );
}

interface CountryChoiceProps {
  value: string | undefined;
  onChange: (country: string) => void;
}

/** Only countries that the organization may call are offered. */
function CountryChoice({ value, onChange }: CountryChoiceProps) {
  const { data } = useQuery(organizationQuery(useParley()));
  const known = [value, data?.homeCountry, ...(data?.allowedCountries ?? [])];
  const countries = new Set(known.flatMap((code) => (code ? [code] : [])));
  return (
    <Select
      label="Numbers without a country code are in"
      allowDeselect={false}
      disabled={value === undefined}
      data={[
        { value: "", label: "No country: all begin with +" },
        ...Array.from(countries, (code) => ({ value: code, label: countryNames.of(code) ?? code })),
      ]}
      value={value ?? ""}
      onChange={(country) => onChange(country ?? "")}
    />
  );
}
