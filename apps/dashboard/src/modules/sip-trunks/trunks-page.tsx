import { Group, Text } from "@mantine/core";
import type { SipTrunk } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Cable from "lucide-react/icons/cable";
import Plus from "lucide-react/icons/plus";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { trunksQuery } from "./sip-trunks.queries.ts";
import { RegistrationBadge, TrunkBadge } from "./trunk-state.tsx";

const route = getRouteApi("/shell/in/sip-trunks");

const columns: readonly Column<SipTrunk>[] = [
  {
    header: "Name",
    cell: ({ id, friendlyName }) => (
      <TextLink to="/sip-trunks/$trunkId" params={{ trunkId: id }} fw={600}>
        {friendlyName}
      </TextLink>
    ),
  },
  {
    header: "State",
    cell: (trunk) => (
      <Group gap="xs">
        <TrunkBadge trunk={trunk} />
        <RegistrationBadge trunk={trunk} />
      </Group>
    ),
  },
  {
    header: "Address",
    cell: ({ proxyAddress }) => proxyAddress ?? <Text c="dimmed">none</Text>,
    visibleFrom: "sm",
  },
  { header: "User name", cell: ({ username }) => username ?? "", visibleFrom: "md" },
  { header: "Changed", cell: ({ updatedAt }) => formatDateTime(updatedAt), visibleFrom: "lg" },
];

/** The connections to carriers and PBXs. */
export function TrunksPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const trunks = useQuery(trunksQuery(useParley(), page));
  return (
    <>
      <PageHeader
        title="SIP trunks"
        description="A trunk connects Parley to a carrier or a PBX. Phone calls come and go through it."
        actions={
          <Allowed operation="createSipTrunk">
            <ButtonLink to="/sip-trunks/new" leftSection={<Plus size={16} aria-hidden />}>
              New trunk
            </ButtonLink>
          </Allowed>
        }
      />
      <DataTable
        label="SIP trunks"
        query={trunks}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <EmptyState
            icon={Cable}
            title="No trunks yet"
            action={
              <Allowed operation="createSipTrunk">
                <ButtonLink to="/sip-trunks/new">Connect a carrier or PBX</ButtonLink>
              </Allowed>
            }
          >
            With a trunk, agents answer and place phone calls. There are presets for Twilio, Telnyx, Asterisk
            and FreeSWITCH.
          </EmptyState>
        }
      />
    </>
  );
}
