import { Badge, Button, Card, Group, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import type { Organization } from "@parley/client";
import { useQueryClient } from "@tanstack/react-query";
import { useMay } from "../../app/session/allowed.tsx";
import { useOrganization, useParley, useSession } from "../../app/session/session.tsx";
import { Facts } from "../../ui/facts.tsx";
import { LoadingLines } from "../../ui/loading.tsx";
import { Problem } from "../../ui/problem.tsx";
import { labelOf } from "../../ui/schema-field.rules.ts";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { limits } from "./organization.at-build.ts";
import { SettingsHeader } from "./settings-header.tsx";

/** Name of the organization, and what its operator has set. */
export function OrganizationSettingsPage() {
  const organization = useOrganization();
  return (
    <>
      <SettingsHeader
        title="Organization"
        description="Its name, and what the operator of this installation has set."
      />
      {organization === undefined ? (
        <LoadingLines />
      ) : (
        <Stack>
          <NameCard key={organization.name} organization={organization} />
          <OperatorCard organization={organization} />
          <LimitsCard organization={organization} />
        </Stack>
      )}
    </>
  );
}

function NameCard({ organization: { name } }: { organization: Organization }) {
  const parley = useParley();
  const session = useSession();
  const queryClient = useQueryClient();
  const mayRename = useMay()("updateOrganization");
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { name },
    validate: (values) => ({ name: values.name.trim() === "" ? "is required" : undefined }),
    save: async (values) => await parley.updateOrganization(values),
    onSaved: async (saved) => {
      toast.done(`The organization is now called ${saved.name}.`);
      await queryClient.invalidateQueries({ queryKey: ["organization"] });
      if (session.state === "signed-in") await session.refresh();
    },
  });
  return (
    <Card component="form" withBorder padding="lg" onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          description={mayRename ? undefined : "Only owners and admins change it."}
          data-path="name"
          required
          disabled={!mayRename}
          {...form.getInputProps("name")}
        />
        {problem !== undefined && <Problem error={problem} />}
        {mayRename && (
          <Group justify="flex-end">
            <Button type="submit" variant="default" loading={saving.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function OperatorCard({ organization }: { organization: Organization }) {
  const { id, isBillingActive, homeCountry, allowedCountries, isPremiumRateAllowed } = organization;
  return (
    <Card withBorder padding="lg" component="section" aria-label="Set by the operator">
      <Title order={2} size="h4" mb="sm">
        Set by the operator
      </Title>
      <Facts
        facts={[
          [
            "Billing",
            <Group key="billing" gap="xs">
              <Badge variant="light" color={isBillingActive ? "house" : "red"}>
                {isBillingActive ? "active" : "off"}
              </Badge>
              {!isBillingActive && "No calls are answered or placed."}
            </Group>,
          ],
          ["Home country", homeCountry ?? "not set: that of the oldest phone number"],
          ["Calls to", allowedCountries?.join(", ") ?? "the home country only"],
          ["Premium-rate", isPremiumRateAllowed ? "allowed" : "not allowed"],
          ["Id", id],
        ]}
      />
    </Card>
  );
}

function LimitsCard({ organization }: { organization: Organization }) {
  const own: Readonly<Record<string, number>> = { ...organization.limits };
  return (
    <Card withBorder padding={0}>
      <Table aria-label="Limits" verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Limit</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {limits.map(({ name, initial, description }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Text size="sm" fw={600}>
                  {labelOf(name)}
                </Text>
                {description !== `${labelOf(name)}.` && (
                  <Text size="xs" c="dimmed">
                    {description.replaceAll("`", "")}
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right">
                {(own[name] ?? initial).toLocaleString()}
                {own[name] !== initial && (
                  <Text size="xs" c="dimmed">
                    default: {initial.toLocaleString()}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
