import { Badge, Button, Group, Select, Text } from "@mantine/core";
import type { PhoneNumber } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Hash from "lucide-react/icons/hash";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { BindDialog } from "./bind-dialog.tsx";
import { NumberActions } from "./number-actions.tsx";
import { numberAgentsQuery, numbersQuery, numberTrunksQuery } from "./phone-numbers.queries.ts";

const route = getRouteApi("/shell/in/phone-numbers");

const columns: readonly Column<PhoneNumber>[] = [
  { header: "Number", cell: ({ e164 }) => <Text fw={600}>{e164}</Text> },
  { header: "Agent", cell: ({ agentId }) => <AgentLink agentId={agentId} /> },
  {
    header: "Environment",
    cell: ({ agentId, environment }) =>
      agentId !== null && (
        <Badge variant="light" color={environment === null ? "house" : "gray"}>
          {environment ?? "production"}
        </Badge>
      ),
    visibleFrom: "sm",
  },
  { header: "Trunk", cell: ({ sipTrunkId }) => <TrunkLink trunkId={sipTrunkId} />, visibleFrom: "sm" },
];

const changeableColumns: readonly Column<PhoneNumber>[] = [
  ...columns,
  { header: "Actions", align: "right", cell: (number) => <NumberActions number={number} /> },
];

/** The organization's numbers, and who answers them. */
export function NumbersPage() {
  const { page = 1, sipTrunkId } = route.useSearch();
  const navigate = route.useNavigate();
  const parley = useParley();
  const numbers = useQuery(numbersQuery(parley, { page, ...(sipTrunkId !== undefined && { sipTrunkId }) }));
  const { data: trunks } = useQuery(numberTrunksQuery(parley));
  const mayAdd = useMay()("addPhoneNumber");
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHeader
        title="Phone numbers"
        description="A number belongs to a trunk, and is answered by one agent in one of its environments."
        actions={
          mayAdd && (
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
              Add a number
            </Button>
          )
        }
      />
      {trunks !== undefined && trunks.size > 1 && (
        <Group mb="md">
          <Select
            aria-label="Trunk"
            placeholder="Any trunk"
            clearable
            data={[...trunks].map(([value, label]) => ({ value, label }))}
            value={sipTrunkId ?? null}
            onChange={(id) => void navigate({ search: { sipTrunkId: id ?? undefined }, replace: true })}
          />
        </Group>
      )}
      <DataTable
        label="Phone numbers"
        query={numbers}
        columns={mayAdd ? changeableColumns : columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={
          sipTrunkId === undefined ? (
            <NoNumbers
              hasTrunk={trunks === undefined || trunks.size > 0}
              onAdd={mayAdd ? () => setAdding(true) : undefined}
            />
          ) : (
            <EmptyState icon={Hash} title="No number on this trunk">
              Choose another trunk above.
            </EmptyState>
          )
        }
      />
      {isAdding && <BindDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function NoNumbers({ hasTrunk, onAdd }: { hasTrunk: boolean; onAdd: (() => void) | undefined }) {
  if (onAdd === undefined)
    return (
      <EmptyState icon={Hash} title="No numbers yet">
        Numbers that members bind to agents appear here.
      </EmptyState>
    );
  if (!hasTrunk)
    return (
      <EmptyState
        icon={Hash}
        title="No numbers yet"
        action={<ButtonLink to="/sip-trunks/new">Connect a carrier or PBX</ButtonLink>}
      >
        Numbers come from a carrier or a PBX. Connect it first; then bind its numbers to agents here.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={Hash}
      title="No numbers yet"
      action={<Button onClick={onAdd}>Add your first number</Button>}
    >
      Enter a number that your carrier or PBX sends to Parley, and choose the agent that answers it.
    </EmptyState>
  );
}

function AgentLink({ agentId }: { agentId: string | null }) {
  const { data: agents } = useQuery(numberAgentsQuery(useParley()));
  if (agentId === null) return <Text c="dimmed">none</Text>;
  return (
    <TextLink to="/agents/$agentId" params={{ agentId }}>
      {agents?.get(agentId)?.name ?? "…"}
    </TextLink>
  );
}

function TrunkLink({ trunkId }: { trunkId: string }) {
  const { data: trunks } = useQuery(numberTrunksQuery(useParley()));
  return (
    <TextLink to="/sip-trunks/$trunkId" params={{ trunkId }}>
      {trunks?.get(trunkId) ?? "…"}
    </TextLink>
  );
}
