import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { InvitationCreated } from "@parley/client";
import type { LimitsUpdate, OperatedOrganization, OperatedOrganizationChange } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import UserPlus from "lucide-react/icons/user-plus";
import { useState } from "react";
import { ButtonLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { findFault } from "../../ui/schema-field.rules.ts";
import { SchemaField } from "../../ui/schema-field.tsx";
import { toast } from "../../ui/toast.ts";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { InviteDialog } from "../settings/invite-dialog.tsx";
import { limitDefaults, limitFields, organizationFields } from "./operator-fields.at-build.ts";
import { operate, organizationQuery } from "./operator.queries.ts";
import { BillingBadge } from "./organizations-page.tsx";

const route = getRouteApi("/shell/in/operator/organizations/$organizationId");

type LimitName = keyof typeof limitFields;

const limitNames = Object.keys(limitFields) as LimitName[];

interface Values {
  name: string;
  isBillingActive: boolean;
  homeCountry: string | null;
  /** Empty: only the home country. */
  allowedCountries: string[];
  isPremiumRateAllowed: boolean;
  /** Null: the default. */
  limits: Record<LimitName, number | null>;
}

/** What only the operator changes of an organization. */
export function OrganizationPage() {
  const { organizationId } = route.useParams();
  const organization = useQuery(organizationQuery(organizationId));
  const [isInviting, setInviting] = useState(false);
  return (
    <Loaded query={organization} heading="Organization">
      {(loaded) => (
        <>
          <PageHeader
            title={loaded.name}
            beside={<BillingBadge isActive={loaded.isBillingActive} />}
            description={loaded.id}
            actions={
              <>
                <ButtonLink variant="default" to="/operator/phone-numbers" search={{ organizationId }}>
                  Phone numbers
                </ButtonLink>
                <Button
                  variant="default"
                  leftSection={<UserPlus size={16} aria-hidden />}
                  onClick={() => setInviting(true)}
                >
                  Invite
                </Button>
              </>
            }
          />
          <Settings key={JSON.stringify(loaded)} organization={loaded} />
          <InviteDialog
            isOpen={isInviting}
            onClose={() => setInviting(false)}
            ownRole="owner"
            invite={async (invitation) =>
              await operate<InvitationCreated>("POST", `/organizations/${loaded.id}/invitations`, invitation)
            }
          />
        </>
      )}
    </Loaded>
  );
}

function Settings({ organization }: { organization: OperatedOrganization }) {
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm<Values, OperatedOrganization>({
    initialValues: valuesOf(organization),
    validate: findFaults,
    save: async (values) => await operate("PATCH", `/organizations/${organization.id}`, changeOf(values)),
    onSaved: async ({ name }) => {
      form.resetDirty();
      toast.done(`${name} is saved.`);
      await queryClient.invalidateQueries({ queryKey: ["operator", "organizations"] });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Stack gap="lg">
        <BillingFields form={form} />
        <LimitFields form={form} />
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
            Discard
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  form: UseFormReturnType<Values>;
}

function BillingFields({ form }: FieldsProps) {
  return (
    <Card withBorder padding="lg" component="section" aria-label="Billing and countries">
      <Stack>
        <Title order={2} size="h4">
          Billing and countries
        </Title>
        <SchemaField form={form} path="name" schema={organizationFields.name} required />
        <SchemaField
          form={form}
          path="isBillingActive"
          label="Billing is active"
          schema={{
            type: "boolean",
            description:
              "Off: calls are neither answered nor placed, at once, and the API refuses most operations, within 30 seconds.",
          }}
        />
        <SchemaField
          form={form}
          path="homeCountry"
          schema={organizationFields.homeCountry}
          placeholder="DE"
        />
        <SchemaField form={form} path="allowedCountries" schema={organizationFields.allowedCountries} />
        <SchemaField
          form={form}
          path="isPremiumRateAllowed"
          label="Premium-rate numbers"
          schema={{ type: "boolean", description: "Whether they can be called." }}
        />
      </Stack>
    </Card>
  );
}

function LimitFields({ form }: FieldsProps) {
  return (
    <Card withBorder padding="lg" component="section" aria-label="Limits">
      <Stack>
        <div>
          <Title order={2} size="h4">
            Limits
          </Title>
          <Text size="sm" c="dimmed">
            An empty limit has its default, which is shown in gray.
          </Text>
        </div>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {limitNames.map((name) => (
            <SchemaField
              key={name}
              form={form}
              path={`limits.${name}`}
              schema={limitFields[name]}
              placeholder={`${limitDefaults[name]} (default)`}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Card>
  );
}

function valuesOf(organization: OperatedOrganization): Values {
  const { name, isBillingActive, homeCountry, allowedCountries, isPremiumRateAllowed, limitOverrides } =
    organization;
  const limits = Object.fromEntries(limitNames.map((each) => [each, limitOverrides[each] ?? null]));
  return {
    name,
    isBillingActive,
    homeCountry,
    allowedCountries: allowedCountries ?? [],
    isPremiumRateAllowed,
    limits: limits as Values["limits"],
  };
}

function changeOf({ allowedCountries, limits, ...values }: Values): OperatedOrganizationChange {
  return {
    ...values,
    allowedCountries: allowedCountries.length === 0 ? null : allowedCountries,
    limits: limits satisfies LimitsUpdate,
  };
}

function findFaults({ limits, ...values }: Values): Record<string, string | undefined> {
  const { name, homeCountry, allowedCountries } = values;
  return {
    name: findFault(organizationFields.name, name),
    homeCountry: findFault(organizationFields.homeCountry, homeCountry),
    allowedCountries: findFault(organizationFields.allowedCountries, allowedCountries),
    ...Object.fromEntries(
      limitNames.map((each) => [`limits.${each}`, findFault(limitFields[each], limits[each])]),
    ),
  };
}
