import { Card, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { ColumnUse, Meaning } from "./columns.rules.ts";
import type { CsvFile } from "./csv-file.ts";

const SAMPLES = 2;

const meanings: readonly { value: Meaning; label: string }[] = [
  { value: "number", label: "Phone number" },
  { value: "timezone", label: "Time zone" },
  { value: "variable", label: "Variable" },
  { value: "none", label: "Leave out" },
];

interface ColumnChoicesProps {
  file: CsvFile;
  columns: readonly ColumnUse[];
  onChange: (columns: readonly ColumnUse[]) => void;
}

/** What each column of the file means. */
export function ColumnChoices({ file: { header, rows }, columns, onChange }: ColumnChoicesProps) {
  const change = (place: number, part: Partial<ColumnUse>): void =>
    onChange(columns.map((column, index) => (index === place ? { ...column, ...part } : column)));
  return (
    <Stack gap="xs" role="group" aria-label="Columns">
      <Text fw={600} size="sm">
        Columns
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {columns.map(({ meaning, name }, index) => {
          const title = header[index] ?? "";
          const samples = rows.slice(0, SAMPLES).map((row) => row[index]?.trim() ?? "");
          return (
            <Card key={`${index} ${title}`} withBorder padding="sm">
              <Text fw={600} size="sm" truncate>
                {title}
              </Text>
              <Text size="xs" c="dimmed" truncate mb="xs">
                {samples.filter((sample) => sample !== "").join(" · ") || "empty"}
              </Text>
              <NativeSelect
                size="xs"
                aria-label={`Meaning of ${title}`}
                data={[...meanings]}
                value={meaning}
                onChange={({ currentTarget: { value } }) =>
                  change(index, { meaning: meanings.find((each) => each.value === value)?.value ?? "none" })
                }
              />
              {meaning === "variable" && (
                <TextInput
                  size="xs"
                  mt="xs"
                  aria-label={`Variable of ${title}`}
                  value={name}
                  onChange={({ target }) => change(index, { name: target.value })}
                />
              )}
            </Card>
          );
        })}
      </SimpleGrid>
    </Stack>
  );
}
