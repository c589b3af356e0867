import {
  Badge,
  Card,
  Checkbox,
  Group,
  Pagination,
  SegmentedControl,
  Stack,
  Table,
  Text,
} from "@mantine/core";
import { useState } from "react";
import type { ImportedContact } from "./checked-contacts.rules.ts";
import type { ContactImport } from "./use-contact-import.ts";

const ROWS_PER_PAGE = 10;
const SHOWN_VARIABLES = 3;

interface ContactPreviewProps {
  model: ContactImport;
  contacts: readonly ImportedContact[];
}

/** How many contacts are ready, what is wrong with the others, and how all of them will be stored. */
export function ContactPreview({ model, contacts }: ContactPreviewProps) {
  const problems = contacts.filter(({ problem }) => problem !== undefined);
  const duplicates = contacts.filter(
    ({ isDuplicate, problem }) => isDuplicate && problem === undefined,
  ).length;
  const ready = contacts.length - problems.length - duplicates;
  const [filter, setFilter] = useState("all");
  const shown = filter === "problems" && problems.length > 0 ? problems : contacts;
  return (
    <Stack gap="sm">
      <Group gap="xs" role="status">
        <Badge variant="light">{count(ready, "contact")} ready</Badge>
        {problems.length > 0 && (
          <Badge variant="light" color="red">
            {count(problems.length, "row")} with a problem
          </Badge>
        )}
        {duplicates > 0 && (
          <Badge variant="light" color="gray">
            {count(duplicates, "repeated number")} left out
          </Badge>
        )}
      </Group>
      {problems.length > 0 && (
        <Group gap="md">
          <SegmentedControl
            aria-label="Rows"
            size="xs"
            transitionDuration={0}
            data={[
              { value: "all", label: "All rows" },
              { value: "problems", label: "Only problems" },
            ]}
            value={filter}
            onChange={setFilter}
          />
          <Checkbox
            label={`Leave out ${problems.length === 1 ? "the row" : "the rows"} with a problem`}
            checked={model.isLeavingOut}
            onChange={({ target }) => model.setLeavingOut(target.checked)}
          />
        </Group>
      )}
      <PreviewTable key={filter} contacts={shown} isGuessing={model.isGuessing} />
    </Stack>
  );
}

function count(many: number, what: string): string {
  return `${many.toLocaleString("en")} ${what}${many === 1 ? "" : "s"}`;
}

function PreviewTable({
  contacts,
  isGuessing,
}: {
  contacts: readonly ImportedContact[];
  isGuessing: boolean;
}) {
  const [page, setPage] = useState(1);
  const pages = Math.max(1, Math.ceil(contacts.length / ROWS_PER_PAGE));
  const first = (Math.min(page, pages) - 1) * ROWS_PER_PAGE;
  const names = Object.keys(contacts[0]?.variables ?? {}).slice(0, SHOWN_VARIABLES);
  return (
    <>
      <Card withBorder padding={0}>
        <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Preview of the contacts" verticalSpacing="xs" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Row</Table.Th>
                <Table.Th>Phone number</Table.Th>
                <Table.Th>Time zone</Table.Th>
                {names.map((name) => (
                  <Table.Th key={name} visibleFrom="md">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {contacts.slice(first, first + ROWS_PER_PAGE).map((contact) => (
                <Table.Tr key={contact.row}>
                  <Table.Td>{contact.row}</Table.Td>
                  <Table.Td>
                    <NumberCell contact={contact} />
                  </Table.Td>
                  <Table.Td>
                    <ZoneCell contact={contact} isGuessing={isGuessing} />
                  </Table.Td>
                  {names.map((name) => (
                    <Table.Td key={name} visibleFrom="md">
                      <Text size="sm" lineClamp={2}>
                        {contact.variables[name] ?? ""}
                      </Text>
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
      {pages > 1 && <PreviewPages pages={pages} page={Math.min(page, pages)} onPage={setPage} />}
    </>
  );
}

function NumberCell({ contact: { toNumber, e164, problem, isDuplicate } }: { contact: ImportedContact }) {
  return (
    <Stack gap={0}>
      <Text size="sm">{e164 ?? toNumber}</Text>
      {problem !== undefined && (
        <Text size="xs" c="red">
          {problem}
        </Text>
      )}
      {problem === undefined && isDuplicate && (
        <Text size="xs" c="dimmed">
          The number came before
        </Text>
      )}
    </Stack>
  );
}

function ZoneCell({ contact, isGuessing }: { contact: ImportedContact; isGuessing: boolean }) {
  const { timezone, guessedTimezone } = contact;
  if (timezone !== null) return <Text size="sm">{timezone}</Text>;
  if (!isGuessing || guessedTimezone === null)
    return (
      <Text size="sm" c="dimmed">
        the window’s
      </Text>
    );
  return (
    <Stack gap={0}>
      <Text size="sm">{guessedTimezone}</Text>
      <Text size="xs" c="dimmed">
        guessed
      </Text>
    </Stack>
  );
}

interface PreviewPagesProps {
  pages: number;
  page: number;
  onPage: (page: number) => void;
}

function PreviewPages({ pages, page, onPage }: PreviewPagesProps) {
  return (
    <Pagination
      size="sm"
      total={pages}
      value={page}
      onChange={onPage}
      aria-label="Pages of the preview"
      getControlProps={(control) => ({ "aria-label": `${control} page` })}
      getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
    />
  );
}
