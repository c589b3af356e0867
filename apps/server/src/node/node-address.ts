import { lookup } from "node:dns/promises";
import type { Config } from "../platform/config/config.ts";
import { findLocalAddressTowards } from "../platform/local-address.ts";

/**
 * Address at which other nodes reach this one: the address configured by the operator, or this machine's own in the
 * database's network.
 */
export async function findNodeAddress(
  { publicAddress }: Pick<Config, "publicAddress">,
  databaseUrl: string,
): Promise<string> {
  if (publicAddress !== undefined) return publicAddress;
  const { hostname } = new URL(databaseUrl);
  const { address } = await lookup(hostname === "" ? "127.0.0.1" : hostname.replaceAll(/[[\]]/g, ""));
  return await findLocalAddressTowards(address);
}
