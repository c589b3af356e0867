import { Button, Card, Group, Select, Stack, Text, Title } from "@mantine/core";
import type { Invitation, Member } from "@parley/client";
import type { MemberRole } from "@parley/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import UserPlus from "lucide-react/icons/user-plus";
import Users from "lucide-react/icons/users";
import { useState } from "react";
import { useMay, useRole } from "../../app/session/allowed.tsx";
import { useIdentity, useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Loaded } from "../../ui/loading.tsx";
import { toast } from "../../ui/toast.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { LeaveButton } from "./leave-button.tsx";
import { roles, rolesBelow } from "./role.rules.ts";
import { SettingsHeader } from "./settings-header.tsx";
import { invitationsQuery, membersQuery } from "./settings.queries.ts";

const route = getRouteApi("/shell/in/settings/members");

/** People in the organization, and who is invited. */
export function MembersPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const parley = useParley();
  const queryClient = useQueryClient();
  const members = useQuery(membersQuery(parley, page));
  const identity = useIdentity();
  const ownRole = useRole();
  const canManage = useMay()("updateMember");
  const [isInviting, setInviting] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  return (
    <>
      <SettingsHeader
        title="Members"
        description="People who work with this organization."
        actions={
          <>
            {identity !== undefined && <LeaveButton />}
            {canManage && (
              <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
                Invite
              </Button>
            )}
          </>
        }
      />
      <DataTable
        label="Members"
        query={members}
        columns={columnsFor(canManage, setRemoved)}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <EmptyState icon={Users} title="No members yet">
            So far only API keys work with this organization. Invite the people who should see it.
          </EmptyState>
        }
      />
      {canManage && <Invitations />}
      <InviteDialog
        isOpen={isInviting}
        onClose={() => setInviting(false)}
        ownRole={ownRole}
        invite={async (invitation) => {
          const created = await parley.createInvitation(invitation);
          await queryClient.invalidateQueries({ queryKey: ["members"] });
          return created;
        }}
      />
      <RemoveDialog member={removed} onClose={() => setRemoved(undefined)} />
    </>
  );
}

function columnsFor(canManage: boolean, remove: (member: Member) => void): readonly Column<Member>[] {
  return [
    { header: "Name", cell: ({ name }) => <Text fw={600}>{name}</Text> },
    { header: "E-mail", cell: ({ email }) => email, visibleFrom: "sm" },
    {
      header: "Role",
      cell: (member) => (canManage ? <RoleSelect member={member} /> : labelOf(member.role)),
    },
    { header: "Since", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "md" },
    ...(canManage ? [actionsColumn(remove)] : []),
  ];
}

function actionsColumn(remove: (member: Member) => void): Column<Member> {
  return {
    header: "Actions",
    align: "right",
    cell: (member) => (
      <Button size="xs" variant="default" aria-label={`Remove ${member.name}`} onClick={() => remove(member)}>
        Remove
      </Button>
    ),
  };
}

const labelOf = (role: MemberRole): string => roles.find(({ value }) => value === role)?.label ?? role;

function RoleSelect({ member }: { member: Member }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const ownRole = useRole();
  const change = useMutation({
    mutationFn: async (role: MemberRole) => await parley.updateMember(member.id, { role }),
    onSuccess: () => toast.done(`The role of ${member.name} is changed.`),
    onError: (error) => toast.failed(error),
    onSettled: async () => await queryClient.invalidateQueries({ queryKey: ["members"] }),
  });
  const offered = rolesBelow(ownRole);
  const isHigher = !offered.some(({ value }) => value === member.role);
  if (isHigher) return labelOf(member.role);
  return (
    <Select
      aria-label={`Role of ${member.name}`}
      size="xs"
      w={104}
      allowDeselect={false}
      disabled={change.isPending}
      data={offered.map(({ value, label }) => ({ value, label }))}
      value={member.role}
      onChange={(role) => role !== null && change.mutate(role)}
    />
  );
}

function RemoveDialog({ member, onClose }: { member: Member | undefined; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const remove = async (): Promise<void> => {
    if (member === undefined) return;
    await parley.removeMember(member.id);
    await queryClient.invalidateQueries({ queryKey: ["members"] });
    toast.done(`${member.name} is removed.`);
  };
  return (
    <ConfirmDialog
      isOpen={member !== undefined}
      onClose={onClose}
      title={`Remove ${member?.name ?? ""}?`}
      confirm="Remove"
      onConfirm={remove}
    >
      They no longer see this organization, at once. What they made stays.
    </ConfirmDialog>
  );
}

function Invitations() {
  const invitations = useQuery(invitationsQuery(useParley()));
  return (
    <Loaded query={invitations} loading={null}>
      {({ data }) =>
        data.length > 0 && (
          <Card withBorder mt="lg" padding="lg">
            <Stack>
              <Title order={2} size="h4">
                Invited
              </Title>
              {data.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} />
              ))}
            </Stack>
          </Card>
        )
      }
    </Loaded>
  );
}

function InvitationRow({
  invitation: { id, email, role, invitedBy, expiresAt },
}: {
  invitation: Invitation;
}) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const withdraw = useMutation({
    mutationFn: async () => await parley.withdrawInvitation(id),
    onError: (error) => toast.failed(error),
    onSettled: async () => await queryClient.invalidateQueries({ queryKey: ["members"] }),
  });
  const isExpired = new Date(expiresAt) < new Date();
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm" fw={600}>
          {email}
        </Text>
        <Text size="sm" c="dimmed">
          {labelOf(role)}, invited by {invitedBy}, {isExpired ? "expired" : "valid until"}{" "}
          {formatDateTime(expiresAt)}
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        flex="none"
        aria-label={`Withdraw the invitation of ${email}`}
        loading={withdraw.isPending}
        onClick={() => withdraw.mutate()}
      >
        Withdraw
      </Button>
    </Group>
  );
}
