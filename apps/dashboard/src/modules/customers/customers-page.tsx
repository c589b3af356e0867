import { SimpleGrid } from "@mantine/core";
import type { Customer } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Contact from "lucide-react/icons/contact";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { useAgentName } from "../calls/agent-name.tsx";
import { customersQuery, nameOf } from "./customers.queries.ts";
import type { CustomersSearch } from "./customers.routes.ts";

const route = getRouteApi("/shell/in/customers");

/** All customers whom agents recognize, the latest first. */
export function CustomersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const customers = useQuery(customersQuery(useParley(), search));
  const agentName = useAgentName();
  const isFiltered = search.phoneNumber !== undefined || search.userId !== undefined;
  const setFilter = (change: Partial<CustomersSearch>): void =>
    void navigate({ search: (now) => ({ ...now, ...change, page: undefined }), replace: true });
  return (
    <>
      <PageHeader
        title="Customers"
        description="People whom agents recognize in their next conversation: visitors of the widget, signed users, and numbers."
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" mb="md" component="search">
        <SearchField
          label="Number"
          placeholder="Number, such as +14155550123"
          value={search.phoneNumber}
          onChange={(phoneNumber) => setFilter({ phoneNumber })}
        />
        <SearchField
          label="User id"
          placeholder="User id, as your page signs it"
          value={search.userId}
          onChange={(userId) => setFilter({ userId })}
        />
      </SimpleGrid>
      <DataTable
        label="Customers"
        query={customers}
        columns={columnsFor(agentName)}
        keyOf={({ id }) => id}
        onPage={(page) => void navigate({ search: (now) => ({ ...now, page }) })}
        empty={
          <EmptyState icon={Contact} title={isFiltered ? "No customer matches" : "No customers yet"}>
            {isFiltered
              ? "Enter the whole number or user id."
              : "Visitors appear here when they open an agent's widget; numbers, if the agent remembers callers."}
          </EmptyState>
        }
      />
    </>
  );
}

function columnsFor(agentName: (agentId: string) => string): readonly Column<Customer>[] {
  return [
    {
      header: "Customer",
      cell: (customer) => (
        <TextLink
          to="/customers/$customerId"
          params={{ customerId: customer.id }}
          fw={600}
          style={{ overflowWrap: "anywhere" }}
        >
          {nameOf(customer)}
        </TextLink>
      ),
    },
    { header: "Known by", cell: knownBy, visibleFrom: "sm" },
    { header: "Agent", cell: ({ agentId }) => agentName(agentId), visibleFrom: "xs" },
    { header: "Since", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "sm" },
  ];
}

function knownBy({ userId, phoneNumber }: Customer): string {
  if (userId !== null) return "signed user id";
  return phoneNumber === null ? "widget" : "number";
}
