import { Text } from "@mantine/core";
import { useOrganization } from "./session.tsx";

/** The organization that everything on the page belongs to. An API key has exactly one. */
export function OrganizationSwitcher() {
  const organization = useOrganization();
  if (organization === undefined) return null;
  return (
    <Text size="sm" fw={600} truncate maw={{ base: 140, sm: 280 }} title={organization.name}>
      {organization.name}
    </Text>
  );
}
