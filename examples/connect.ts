import { Parley, type SipTrunk } from "@parley/client";

/** Client for the API at `PARLEY_URL` with the key in `PARLEY_API_KEY`. */
export function connect(): Parley {
  const apiKey = process.env["PARLEY_API_KEY"];
  if (apiKey === undefined) throw new Error("Set PARLEY_API_KEY to the key that the first start printed.");
  const url = process.env["PARLEY_URL"] ?? "http://localhost:8080";
  return new Parley({ baseUrl: `${url}/v1`, apiKey });
}

/**
 * Returns the trunk with this name, and creates it if there is none.
 *
 * @param proxyAddress Address for outbound calls; null for inbound calls only.
 */
export async function ensureTrunk(
  parley: Parley,
  friendlyName: string,
  proxyAddress: string | null = null,
): Promise<SipTrunk> {
  const { data } = await parley.listSipTrunks({ pageSize: 100 });
  const known = data.find((trunk) => trunk.friendlyName === friendlyName);
  if (known === undefined) return await parley.createSipTrunk({ friendlyName, proxyAddress });
  return await parley.updateSipTrunk(known.id, { proxyAddress });
}
