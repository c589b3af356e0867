import { Button, Card, Fieldset, Group, Stack, Text, Title } from "@mantine/core";
import type { SipTrunk } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Allowed, useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { trunkAgentsQuery, trunkNumbersQuery, trunkQuery } from "./sip-trunks.queries.ts";
import { TrunkCheck } from "./trunk-check.tsx";
import { TrunkFormFields } from "./trunk-form-fields.tsx";
import { RegistrationBadge, TrunkBadge, TrunkState } from "./trunk-state.tsx";
import { TrunkUsers } from "./trunk-users.tsx";
import { useTrunkForm, valuesOf } from "./use-trunk-form.ts";

const route = getRouteApi("/shell/in/sip-trunks/$trunkId");

/** One trunk: whether it works, who uses it, and its settings. */
export function TrunkPage() {
  const { trunkId } = route.useParams();
  const { check = false } = route.useSearch();
  const trunk = useQuery(trunkQuery(useParley(), trunkId));
  return (
    <Loaded query={trunk} heading="SIP trunk">
      {(loaded) => (
        <>
          <PageHeader
            title={loaded.friendlyName}
            beside={
              <>
                <TrunkBadge trunk={loaded} />
                <RegistrationBadge trunk={loaded} />
              </>
            }
            description={loaded.proxyAddress ?? "For inbound calls only"}
            actions={
              <Allowed operation="deleteSipTrunk">
                <DeleteTrunk trunk={loaded} />
              </Allowed>
            }
          />
          <Stack gap="lg">
            <Card withBorder padding="lg" component="section" aria-label="State">
              <Title order={2} size="h4" mb="sm">
                State
              </Title>
              <TrunkState trunk={loaded} />
            </Card>
            <TrunkCheck key={trunkId} trunkId={trunkId} isImmediate={check} />
            <TrunkUsers trunkId={trunkId} />
            <TrunkSettings key={loaded.updatedAt} trunk={loaded} />
          </Stack>
        </>
      )}
    </Loaded>
  );
}

function TrunkSettings({ trunk }: { trunk: SipTrunk }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const mayChange = useMay()("updateSipTrunk");
  const { form, saving, submit, problem } = useTrunkForm({
    initialValues: valuesOf(trunk),
    save: async (body) => await parley.updateSipTrunk(trunk.id, body),
    onSaved: async ({ friendlyName }) => {
      form.resetDirty();
      toast.done(`${friendlyName} is saved. Check it.`);
      await queryClient.invalidateQueries({ queryKey: ["sip-trunks"] });
    },
  });
  return (
    <Card component="form" withBorder padding="lg" onSubmit={submit} noValidate aria-label="Settings">
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Stack>
        <Title order={2} size="h4">
          Settings
        </Title>
        <Fieldset variant="unstyled" disabled={!mayChange}>
          <TrunkFormFields form={form} hasPassword={trunk.hasPassword} />
        </Fieldset>
        {problem !== undefined && <Problem error={problem} />}
        {mayChange && (
          <Group justify="flex-end">
            <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
              Discard
            </Button>
            <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function DeleteTrunk({ trunk: { id, friendlyName } }: { trunk: SipTrunk }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const { data: { total: numbers } = { total: undefined } } = useQuery(trunkNumbersQuery(parley, id));
  const { data: { total: agents } = { total: undefined } } = useQuery(trunkAgentsQuery(parley, id));
  const isUsed = numbers !== 0 || agents !== 0;
  const remove = async (): Promise<void> => {
    await parley.deleteSipTrunk(id, { force: isUsed });
    toast.done(`${friendlyName} is deleted.`);
    await navigate({ to: "/sip-trunks" });
    for (const name of ["sip-trunks", "phone-numbers", "agents"])
      await queryClient.invalidateQueries({ queryKey: [name] });
  };
  return (
    <>
      <Button
        variant="default"
        disabled={numbers === undefined || agents === undefined}
        onClick={() => setDeleting(true)}
      >
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the trunk ${friendlyName}?`}
        confirm={isUsed ? "Delete with its numbers" : "Delete trunk"}
        onConfirm={remove}
      >
        <Text>
          {isUsed
            ? `It is in use: its phone numbers (${numbers}) are deleted with it, and its agents (${agents}) are left without a trunk, so nobody can call them.`
            : "No number and no agent uses it."}
        </Text>
      </ConfirmDialog>
    </>
  );
}
