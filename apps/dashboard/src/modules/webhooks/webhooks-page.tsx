import { Card, Group, Select, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Webhook from "lucide-react/icons/webhook";
import { useParley } from "../../app/session/session.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { Pages } from "../../ui/pages.tsx";
import { SettingsHeader } from "../settings/settings-header.tsx";
import { Deliveries } from "./deliveries.tsx";
import { SigningCard } from "./signing-card.tsx";
import { deliveryStatuses, deliveryTypes, type DeliveriesSearch } from "./webhooks.search.ts";
import { allDeliveriesQuery } from "./webhooks.queries.ts";

const route = getRouteApi("/shell/in/settings/webhooks");

/** The signature of webhooks, and what was sent. */
export function WebhooksPage() {
  return (
    <>
      <SettingsHeader
        title="Webhooks"
        description="Requests to your servers about calls. Their addresses are settings of each agent."
      />
      <Stack gap="lg">
        <SigningCard />
        <AllDeliveries />
      </Stack>
    </>
  );
}

function AllDeliveries() {
  const { page = 1, status, type } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = { ...(status !== undefined && { status }), ...(type !== undefined && { type }) };
  const deliveries = useQuery(allDeliveriesQuery(useParley(), { page, ...filter }));
  const isFiltered = Object.keys(filter).length > 0;
  const change = (search: DeliveriesSearch): void =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...search }), replace: true });
  return (
    <section aria-label="Deliveries">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <Group gap="sm">
          <Select
            aria-label="State"
            placeholder="Any state"
            clearable
            size="xs"
            w={140}
            data={[...deliveryStatuses]}
            value={status ?? null}
            onChange={(chosen) => change({ status: chosen ?? undefined })}
          />
          <Select
            aria-label="Event"
            placeholder="Any event"
            clearable
            size="xs"
            w={160}
            data={[...deliveryTypes]}
            value={type ?? null}
            onChange={(chosen) => change({ type: chosen ?? undefined })}
          />
        </Group>
      </Group>
      <Loaded query={deliveries}>
        {(list) =>
          list.total === 0 ? (
            <Card withBorder>
              <EmptyState icon={Webhook} title={isFiltered ? "No delivery matches" : "No deliveries yet"}>
                {isFiltered
                  ? "Change the filters above."
                  : "An agent with a pre-call or post-call URL sends a webhook for each call. Each is kept here for 30 days."}
              </EmptyState>
            </Card>
          ) : (
            <>
              <Deliveries deliveries={list.data} />
              <Pages label="Deliveries" list={list} onPage={(next) => change({ page: next })} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
