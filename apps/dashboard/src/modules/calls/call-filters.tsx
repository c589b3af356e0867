import { Button, Collapse, Group, NumberInput, Select, SimpleGrid, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import { useEffect, useId, useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { endReasons, statuses } from "./call-words.ts";
import { agentNamesQuery } from "./calls.queries.ts";
import type { CallsSearch } from "./calls.search.ts";

const TYPING_PAUSE_MS = 400;
const MAX_SECONDS = 86_400;

const directionChoices = [
  { value: "inbound", label: "Inbound" },
  { value: "outbound", label: "Outbound" },
];
const channelChoices = [
  { value: "phone", label: "Phone" },
  { value: "web", label: "Browser" },
];
const testChoices = [
  { value: "none", label: "No test calls" },
  { value: "only", label: "Only test calls" },
];

interface CallFiltersProps {
  search: CallsSearch;
  onChange: (change: Partial<CallsSearch>) => void;
}

/** The usual filters in a row, and the others below on demand. */
export function CallFilters({ search, onChange }: CallFiltersProps) {
  const { channel, endReason, environment, from, to, tests, minSeconds, maxSeconds } = search;
  const rare = [channel, endReason, environment, from, to, tests, minSeconds, maxSeconds];
  const used = rare.filter((value) => value !== undefined).length;
  const [isOpen, setOpen] = useState(used > 0);
  const moreId = useId();
  const { page: _page, ...filter } = search;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const clear = (): void => {
    onChange(Object.fromEntries(Object.keys(filter).map((name) => [name, undefined])));
  };
  return (
    <search>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" mb="sm">
        <UsualFilters search={search} onChange={onChange} />
      </SimpleGrid>
      <Group gap="sm" mb="md">
        <Button
          variant="default"
          size="xs"
          leftSection={<SlidersHorizontal size={14} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={moreId}
          onClick={() => setOpen(!isOpen)}
        >
          {used === 0 || isOpen ? "More filters" : `More filters (${used})`}
        </Button>
        {isFiltered && (
          <Button variant="subtle" size="xs" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen} id={moreId}>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" mb="md">
          <RareFilters search={search} onChange={onChange} />
        </SimpleGrid>
      </Collapse>
    </search>
  );
}

function UsualFilters({ search, onChange }: CallFiltersProps) {
  const { data: agents } = useQuery(agentNamesQuery(useParley()));
  const agentChoices = [...(agents ?? [])].map(([value, label]) => ({ value, label }));
  return (
    <>
      <TextFilter
        label="Said in the call"
        placeholder="Words"
        value={search.text}
        onChange={(text) => onChange({ text })}
      />
      <Choice
        label="Agent"
        data={agentChoices}
        value={search.agentId}
        onChange={(agentId) => onChange({ agentId })}
      />
      <Choice
        label="Status"
        data={labelsOf(statuses)}
        value={search.status}
        onChange={(status) => onChange({ status: status as CallsSearch["status"] })}
      />
      <Choice
        label="Direction"
        data={directionChoices}
        value={search.direction}
        onChange={(direction) => onChange({ direction: direction as CallsSearch["direction"] })}
      />
      <TextInput
        type="date"
        label="From day"
        value={search.since ?? ""}
        onChange={({ target }) => onChange({ since: target.value || undefined })}
      />
      <TextInput
        type="date"
        label="To day"
        value={search.until ?? ""}
        onChange={({ target }) => onChange({ until: target.value || undefined })}
      />
    </>
  );
}

function RareFilters({ search, onChange }: CallFiltersProps) {
  return (
    <>
      <TextFilter
        label="From number"
        placeholder="+49…"
        value={search.from}
        onChange={(from) => onChange({ from })}
      />
      <TextFilter
        label="To number"
        placeholder="+49…"
        value={search.to}
        onChange={(to) => onChange({ to })}
      />
      <Choice
        label="Channel"
        data={channelChoices}
        value={search.channel}
        onChange={(channel) => onChange({ channel: channel as CallsSearch["channel"] })}
      />
      <Choice
        label="End"
        data={labelsOf(endReasons)}
        value={search.endReason}
        onChange={(endReason) => onChange({ endReason: endReason as CallsSearch["endReason"] })}
      />
      <TextFilter
        label="Environment"
        placeholder="production"
        value={search.environment}
        onChange={(environment) => onChange({ environment })}
      />
      <Choice
        label="Test calls"
        data={testChoices}
        value={search.tests}
        onChange={(tests) => onChange({ tests: tests as CallsSearch["tests"] })}
      />
      <SecondsFilter
        label="At least (seconds)"
        value={search.minSeconds}
        onChange={(minSeconds) => onChange({ minSeconds })}
      />
      <SecondsFilter
        label="At most (seconds)"
        value={search.maxSeconds}
        onChange={(maxSeconds) => onChange({ maxSeconds })}
      />
    </>
  );
}

interface FilterProps<Value> {
  label: string;
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
}

function Choice(props: FilterProps<string> & { data: { value: string; label: string }[] }) {
  const { label, data, value, onChange } = props;
  return (
    <Select
      label={label}
      placeholder="Any"
      clearable
      searchable={data.length > 10}
      data={data}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

/** Reports what is typed when typing pauses. */
function TextFilter(props: FilterProps<string> & { placeholder: string }) {
  const { label, placeholder, value = "", onChange } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const report = useDebouncedCallback(
    (typed: string) => onChange(typed.trim() || undefined),
    TYPING_PAUSE_MS,
  );
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        report(target.value);
      }}
    />
  );
}

function SecondsFilter({ label, value, onChange }: FilterProps<number>) {
  const [seconds, setSeconds] = useState<string | number>(value ?? "");
  useEffect(() => setSeconds(value ?? ""), [value]);
  const report = useDebouncedCallback(
    (typed: string | number) => onChange(typed === "" ? undefined : Number(typed)),
    TYPING_PAUSE_MS,
  );
  return (
    <NumberInput
      label={label}
      placeholder="Any"
      min={0}
      max={MAX_SECONDS}
      allowDecimal={false}
      allowNegative={false}
      value={seconds}
      onChange={(typed) => {
        setSeconds(typed);
        report(typed);
      }}
    />
  );
}

function labelsOf(words: Readonly<Record<string, { label: string }>>) {
  return Object.entries(words).map(([value, { label }]) => ({ value, label }));
}
