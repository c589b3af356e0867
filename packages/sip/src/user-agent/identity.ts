import type { NameAddress } from "../grammar/name-address.ts";
import { quote } from "../grammar/scanner.ts";
import { type HeaderFields, type HeaderList, singleLine } from "../messages/header-list.ts";
import { addressesOf } from "../messages/message.ts";

/** A URI, optionally with a display name. */
export type Party = string | { displayName: string; uri: string };

/** The From of a caller who withholds their number (RFC 3323 §4.1). */
const anonymous: Party = { displayName: "Anonymous", uri: "sip:anonymous@anonymous.invalid" };

/** The caller's identity according to header fields other than From. */
export interface CallerIdentity {
  /**
   * P-Asserted-Identity (RFC 3325 §9.1): a SIP URI, a tel URI, or one of each. As reliable as the trunk that sent
   * it, and worthless from any other source.
   */
  asserted: readonly NameAddress[];
  /** Remote-Party-ID, the equivalent of older systems. */
  remoteParty: NameAddress | undefined;
  /** True if the caller requests privacy (RFC 3323 §4.2, RFC 3325 §7) or is already anonymous. */
  isPrivate: boolean;
}

/** Reads the identity in a request. Malformed values are omitted. */
export function readIdentity(request: { headers: HeaderList; from: NameAddress }): CallerIdentity {
  const { headers, from } = request;
  const [remoteParty] = addressesOf(headers, "remote-party-id") ?? [];
  const values = headers.getAll("privacy").flatMap((line) => line.toLowerCase().split(/[;,\s]+/));
  const isAnonymous = /^sips?:anonymous(@|$)|@anonymous\.invalid\b/i.test(from.uri);
  const isRemotePrivate = (remoteParty?.parameters.get("privacy") ?? "off").toLowerCase() !== "off";
  return {
    asserted: addressesOf(headers, "p-asserted-identity") ?? [],
    remoteParty,
    isPrivate:
      isAnonymous || isRemotePrivate || values.some((value) => ["id", "user", "header"].includes(value)),
  };
}

/** Identity of our own call for the peer's network. */
export interface IdentityOptions {
  /** Sent as P-Asserted-Identity, for a trunk that trusts us (RFC 3325). */
  asserted?: Party;
  /** Sent as P-Preferred-Identity, for a proxy that verifies and asserts it. */
  preferred?: Party;
  /** Withholds the caller: From is anonymous, and the network is asked for privacy (RFC 3323, RFC 3325). */
  isPrivate?: boolean;
}

/** The From and additional header fields of an INVITE. */
export function writeIdentity(
  from: Party,
  options: IdentityOptions = {},
): { from: string; fields: HeaderFields } {
  const { asserted, preferred, isPrivate = false } = options;
  return {
    from: formatParty(isPrivate ? anonymous : from),
    fields: {
      ...(asserted !== undefined && { "P-Asserted-Identity": formatParty(asserted) }),
      ...(preferred !== undefined && { "P-Preferred-Identity": formatParty(preferred) }),
      ...(isPrivate && { Privacy: "id" }),
    },
  };
}

export function uriOf(party: Party): string {
  return typeof party === "string" ? party : party.uri;
}

export function formatParty(party: Party): string {
  // Removes characters that would end the angle brackets early.
  const uri = singleLine(uriOf(party)).replace(/[<>"\s]/g, "");
  const displayName = typeof party === "string" ? "" : singleLine(party.displayName);
  return displayName === "" ? `<${uri}>` : `${quote(displayName)} <${uri}>`;
}
