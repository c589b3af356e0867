import { sampleAgent } from "@parley/contract/sample-agent";
import type { Logger } from "pino";
import type { Services } from "./features.ts";

/** The way into an installation that has no owner. */
export interface FirstAccess {
  /** Link to the sign-up of the owner. Its token is stored as a hash and valid until an owner exists. */
  signUpLink: string;
  /** Credentials for an empty database. Shown once, because the database stores only a hash of the key. */
  first?: {
    apiKey: string;
    /** Link to the page that tries the sample agent; the key after `#` signs the user in. */
    tryLink: string;
  };
  reference: string;
}

/**
 * Creates a link for the owner and, in an empty database, an organization with a key and a sample agent. `undefined` if
 * the installation has an owner.
 */
export async function createFirstAccess(
  services: Pick<Services, "apiKeys" | "agents" | "ownerSignUp">,
  url: string,
  logger: Logger,
): Promise<FirstAccess | undefined> {
  const created = await services.apiKeys.createFirstOrganization();
  const token = await services.ownerSignUp.createToken();
  if (token === undefined) return undefined;
  const access = { signUpLink: `${url}/sign-up#token=${token}`, reference: `${url}/docs` };
  if (created === undefined) return access;
  const { organizationId, key } = created;
  const fragment = new URLSearchParams({ key });
  try {
    const actor = { type: "api_key" as const, name: "first start" };
    const { id } = await services.agents.create({ organizationId, actor }, sampleAgent);
    fragment.set("agent", id);
  } catch (error) {
    // The key must not be lost with this error, and the page can create such an agent too.
    logger.error({ err: error }, "creating the sample agent failed");
  }
  return { ...access, first: { apiKey: key, tryLink: `${url}/try#${fragment.toString()}` } };
}

export function describeFirstAccess({ signUpLink, first, reference }: FirstAccess): string {
  if (first === undefined)
    return `
This installation has no owner yet. The first person to sign up with this link becomes its owner:

  Sign up        ${signUpLink}

`;
  return `
Parley is ready. The database was empty, so an API key and a sample agent were created:

  Talk to it     ${first.tryLink}
  Sign up        ${signUpLink}
  API key        ${first.apiKey}   (header x-api-key)
  API reference  ${reference}

The first person to sign up with this link becomes the owner of this installation.
The key is not shown again: store it. If you lose it, create another one in the dashboard, or set PARLEY_BOOTSTRAP_API_KEY to a key of your choice and restart.

`;
}
