import type { Feature, NodeResources } from "../feature.ts";
import { CustomersService } from "./customers.service.ts";

export function createCustomers({ database, clock }: NodeResources) {
  return { services: { customers: new CustomersService(database, clock) } } satisfies Feature;
}
