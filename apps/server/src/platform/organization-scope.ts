import { AsyncLocalStorage } from "node:async_hooks";

const organizations = new AsyncLocalStorage<string>();

/** Runs work on behalf of an organization: it uses that organization's share of the node's resources. */
export function inOrganization<T>(organizationId: string, work: () => T): T {
  return organizations.run(organizationId, work);
}

/** The organization that the current work is for; `undefined` for the node's own work. */
export function currentOrganization(): string | undefined {
  return organizations.getStore();
}
