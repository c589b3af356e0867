import { lookup } from "node:dns/promises";
import type { Config } from "../platform/config/config.ts";
import { findLocalAddressTowards } from "../platform/local-address.ts";

/** The address at which other nodes reach this one: its own in the network of the database, unless the operator names one. */
export async function findNodeAddress(
  { publicAddress }: Pick<Config, "publicAddress">,
  databaseUrl: string,
): Promise<string> {
  if (publicAddress !== undefined) return publicAddress;
  const { hostname } = new URL(databaseUrl);
  const { address } = await lookup(hostname === "" ? "127.0.0.1" : hostname.replaceAll(/[[\]]/g, ""));
  return await findLocalAddressTowards(address);
}
