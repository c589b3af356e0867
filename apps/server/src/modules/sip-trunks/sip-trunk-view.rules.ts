import type { SipTrunk, SipTrunkHealth } from "@parley/contract";
import { type InboundTrunk, type TrunkSettings, unknownHealth } from "./sip-trunks.rules.ts";
import type { SipTrunkRow } from "./sip-trunks.store.ts";

/** Returns the data that decides on inbound calls. */
export function inboundOf(row: SipTrunkRow): InboundTrunk {
  const { id, organizationId, allowedAddresses, proxyAddress, transport } = row;
  const { isInboundAuthenticated, username } = row;
  return {
    id,
    organizationId,
    allowedAddresses,
    proxyAddress,
    transport,
    isInboundAuthenticated,
    username,
  };
}

/** Returns the settings that an organization sees. */
export function settingsOf(row: SipTrunkRow): TrunkSettings {
  return {
    id: row.id,
    friendlyName: row.friendlyName,
    proxyAddress: row.proxyAddress,
    transport: row.transport,
    allowedAddresses: row.allowedAddresses,
    username: row.username,
    isInboundAuthenticated: row.isInboundAuthenticated,
    isRegistrationRequired: row.isRegistrationRequired,
    isSrtpRequired: row.isSrtpRequired,
    hasPassword: row.encryptedPassword !== null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Returns a trunk as the API presents it. */
export function presentTrunk(row: SipTrunkRow, health: SipTrunkHealth = unknownHealth): SipTrunk {
  return { ...settingsOf(row), health };
}
