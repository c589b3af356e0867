import { Button, Stack, Text } from "@mantine/core";
import type { CurrentSession } from "@parley/contract";
import { useMutation } from "@tanstack/react-query";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { auth } from "./auth.ts";
import { useSession } from "./session.tsx";

/** Shown if the user was removed from the organization that the session was working for. */
export function NoOrganization({ identity }: { identity: CurrentSession }) {
  const session = useSession();
  const choose = useMutation({
    mutationFn: async (organizationId: string) =>
      await auth("PUT", "/session/organization", { organizationId }),
    onSuccess: async () => {
      if (session.state === "signed-in") await session.refresh();
    },
  });
  return (
    <>
      <PageHeader title="No organization" />
      <Stack align="flex-start">
        <Text>
          {identity.organizations.length === 0
            ? `${identity.user.email} belongs to no organization. Ask one of its admins for an invitation.`
            : "You no longer belong to the organization that you worked in. Choose another one:"}
        </Text>
        {identity.organizations.map(({ id, name }) => (
          <Button key={id} variant="default" loading={choose.isPending} onClick={() => choose.mutate(id)}>
            {name}
          </Button>
        ))}
        {choose.error !== null && <Problem error={choose.error} />}
      </Stack>
    </>
  );
}
