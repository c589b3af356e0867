import { sampleAgent } from "@parley/contract/sample-agent";
import type { Logger } from "pino";
import type { Services } from "./features.ts";

/** Credentials for a new installation. Shown once, because the database stores only a hash of the key. */
export interface FirstAccess {
  apiKey: string;
  /** Link to the page that tries the sample agent; the key after `#` signs the user in. */
  link: string;
  reference: string;
}

/** Creates an organization with a key and a sample agent in an empty database; `undefined` if it has an organization. */
export async function createFirstAccess(
  { apiKeys, agents }: Pick<Services, "apiKeys" | "agents">,
  url: string,
  logger: Logger,
): Promise<FirstAccess | undefined> {
  const first = await apiKeys.createFirstOrganization();
  if (first === undefined) return undefined;
  const { organizationId, key } = first;
  const fragment = new URLSearchParams({ key });
  try {
    const actor = { type: "api_key" as const, name: "first start" };
    const { id } = await agents.create({ organizationId, actor }, sampleAgent);
    fragment.set("agent", id);
  } catch (error) {
    // The key must not be lost with this error, and the page can create such an agent too.
    logger.error({ err: error }, "creating the sample agent failed");
  }
  return { apiKey: key, link: `${url}/try#${fragment.toString()}`, reference: `${url}/docs` };
}

export function describeFirstAccess({ apiKey, link, reference }: FirstAccess): string {
  return `
Parley is ready. The database was empty, so an API key and a sample agent were created:

  Talk to it     ${link}
  API key        ${apiKey}   (header x-api-key)
  API reference  ${reference}

The key is not shown again: store it. If you lose it, set PARLEY_BOOTSTRAP_API_KEY to a key of your choice and restart.

`;
}
