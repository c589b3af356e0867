import { Badge, Button, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Voice } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import AudioLines from "lucide-react/icons/audio-lines";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { Allowed, useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { languagesQuery } from "../agents/agents.queries.ts";
import { CreateVoiceDialog } from "./create-voice-dialog.tsx";
import { PlayButton } from "./play-button.tsx";
import { type VoiceChange, VoiceMenu } from "./voice-menu.tsx";
import { DeleteVoiceDialog, RenameVoiceDialog } from "./voice-dialogs.tsx";
import { type VoiceUser, voicesPageQuery, voiceUsersQuery } from "./voices.queries.ts";
import type { VoicesSearch } from "./voices.routes.ts";

const route = getRouteApi("/shell/in/voices");

const sourceChoices = [
  { value: "custom", label: "Your own" },
  { value: "builtin", label: "This server's" },
  { value: "provider", label: "Providers'" },
];
const categoryChoices = [
  { value: "standard", label: "Standard" },
  { value: "cloned", label: "From recordings" },
];
const sourceNames: Readonly<Record<Voice["source"], string>> = {
  custom: "your own",
  builtin: "this server",
  provider: "provider",
};
/** Agents that a row names. */
const MAX_USERS = 3;

/** All voices that agents can use, and the making of new ones. */
export function VoicesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const parley = useParley();
  const voices = useQuery(voicesPageQuery(parley, search));
  const users = useQuery(voiceUsersQuery(parley));
  const mayChange = useMay()("updateVoice");
  const [isCreating, setCreating] = useState(false);
  const [change, setChange] = useState<VoiceChange>();
  return (
    <>
      <PageHeader
        title="Voices"
        description="What agents can speak with. Make your own from a recording."
        actions={
          <Allowed operation="createVoice">
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
              Create a voice
            </Button>
          </Allowed>
        }
      />
      <Filters search={search} />
      <DataTable
        label="Voices"
        query={voices}
        columns={columnsFor(users.data, mayChange ? setChange : undefined)}
        keyOf={({ id }) => id}
        onPage={(page) => void navigate({ search: (now) => ({ ...now, page }) })}
        empty={
          <EmptyState icon={AudioLines} title="No voice matches">
            Change or clear the filters above, or create a voice from a recording.
          </EmptyState>
        }
      />
      <CreateVoiceDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <RenameVoiceDialog
        voice={change?.kind === "rename" ? change.voice : undefined}
        onClose={() => setChange(undefined)}
      />
      <DeleteVoiceDialog
        voice={change?.kind === "delete" ? change.voice : undefined}
        users={users.data?.get(change?.voice.id ?? "") ?? []}
        onClose={() => setChange(undefined)}
      />
    </>
  );
}

function Filters({ search }: { search: VoicesSearch }) {
  const navigate = route.useNavigate();
  const languages = useQuery(languagesQuery(useParley()));
  const setFilter = (change: Partial<VoicesSearch>): void =>
    void navigate({ search: (now) => ({ ...now, ...change, page: undefined }), replace: true });
  const spoken = (languages.data ?? []).filter(({ isSpoken }) => isSpoken);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" mb="md" component="search">
      <SearchField label="Name" value={search.search} onChange={(text) => setFilter({ search: text })} />
      <Select
        aria-label="Language"
        placeholder="Any language"
        clearable
        searchable
        data={spoken.map(({ id, displayName }) => ({ value: id, label: displayName }))}
        value={search.language ?? null}
        onChange={(language) => setFilter({ language: language ?? undefined })}
      />
      <Select
        aria-label="Category"
        placeholder="Any category"
        clearable
        data={categoryChoices}
        value={search.category ?? null}
        onChange={(category) => setFilter({ category: (category ?? undefined) as VoicesSearch["category"] })}
      />
      <Select
        aria-label="Source"
        placeholder="Any source"
        clearable
        data={sourceChoices}
        value={search.source ?? null}
        onChange={(source) => setFilter({ source: (source ?? undefined) as VoicesSearch["source"] })}
      />
    </SimpleGrid>
  );
}

function columnsFor(
  users: ReadonlyMap<string, readonly VoiceUser[]> | undefined,
  onChange: ((change: VoiceChange) => void) | undefined,
): readonly Column<Voice>[] {
  return [
    { header: "Listen", cell: (voice) => <PlayButton voice={voice} /> },
    { header: "Name", cell: (voice) => <NameCell voice={voice} /> },
    {
      header: "Language",
      cell: ({ language, gender }) => [language, gender].filter(Boolean).join(", "),
      visibleFrom: "xs",
    },
    { header: "Source", cell: ({ source }) => sourceNames[source], visibleFrom: "sm" },
    { header: "Used by", cell: ({ id }) => <Users users={users?.get(id) ?? []} />, visibleFrom: "md" },
    ...(onChange === undefined
      ? []
      : [
          {
            header: "Actions",
            align: "right" as const,
            cell: (voice: Voice) =>
              voice.source === "custom" && <VoiceMenu voice={voice} onChoose={onChange} />,
          },
        ]),
  ];
}

const statusBadges = {
  processing: { label: "being cloned", color: "yellow" },
  failed: { label: "failed", color: "red" },
} as const;

function NameCell({ voice }: { voice: Voice }) {
  const { displayName, status, statusReason, isDefault, isApproximation, warnings } = voice;
  const state = status === "ready" ? undefined : statusBadges[status];
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Text fw={600} style={{ overflowWrap: "anywhere" }}>
          {displayName}
        </Text>
        {isDefault && (
          <Badge size="sm" variant="light">
            default
          </Badge>
        )}
        {isApproximation && (
          <Badge size="sm" variant="light" color="gray">
            approximation
          </Badge>
        )}
        {state !== undefined && (
          <Badge size="sm" variant="light" color={state.color}>
            {state.label}
          </Badge>
        )}
      </Group>
      {[statusReason, ...warnings].map(
        (text) =>
          text !== null && (
            <Text key={text} size="xs" c="dimmed" maw={420}>
              {text}
            </Text>
          ),
      )}
    </Stack>
  );
}

function Users({ users }: { users: readonly VoiceUser[] }) {
  const others = users.length - MAX_USERS;
  return (
    <Stack gap={0}>
      {users.slice(0, MAX_USERS).map(({ id, name }) => (
        <TextLink key={id} to="/agents/$agentId" params={{ agentId: id }} size="sm">
          {name}
        </TextLink>
      ))}
      {others > 0 && (
        <Text size="xs" c="dimmed">
          and {others} more
        </Text>
      )}
    </Stack>
  );
}
