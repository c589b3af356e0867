import { NativeSelect, Text } from "@mantine/core";
import type { CurrentSession } from "@parley/contract";
import { useMutation } from "@tanstack/react-query";
import { toast } from "../../ui/toast.ts";
import { auth } from "./auth.ts";
import { useIdentity, useOrganization, useSession } from "./session.tsx";

/** The organization that everything on the page belongs to. An API key has exactly one. */
export function OrganizationSwitcher() {
  const identity = useIdentity();
  if (identity === undefined) return <OrganizationOfKey />;
  if (identity.organizations.length > 1) return <Switcher identity={identity} />;
  return <Name name={identity.organization?.name} />;
}

function OrganizationOfKey() {
  return <Name name={useOrganization()?.name} />;
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <Text size="sm" fw={600} truncate maw={{ base: 140, sm: 280 }} title={name}>
      {name}
    </Text>
  );
}

function Switcher({ identity }: { identity: CurrentSession }) {
  const session = useSession();
  const change = useMutation({
    mutationFn: async (organizationId: string) =>
      await auth("PUT", "/session/organization", { organizationId }),
    onSuccess: async () => {
      if (session.state === "signed-in") await session.refresh();
    },
    onError: (error) => toast.failed(error),
  });
  return (
    <NativeSelect
      aria-label="Organization"
      size="xs"
      w={{ base: 140, sm: 220 }}
      disabled={change.isPending}
      data={[
        ...(identity.organization === null ? [{ value: "", label: "Choose an organization" }] : []),
        ...identity.organizations.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={identity.organization?.id ?? ""}
      onChange={({ currentTarget }) => currentTarget.value !== "" && change.mutate(currentTarget.value)}
    />
  );
}
