import type { NameAddress } from "../grammar/name-address.ts";
import { quote } from "../grammar/scanner.ts";
import { type HeaderFields, type HeaderList, singleLine } from "../messages/header-list.ts";
import { addressesOf } from "../messages/message.ts";

/** A URI, with a display name where one is wanted. */
export type Party = string | { displayName: string; uri: string };

/** What stands in From in place of a caller who withholds its number (RFC 3323 §4.1). */
const anonymous: Party = { displayName: "Anonymous", uri: "sip:anonymous@anonymous.invalid" };

/** Who a call says that it is from, beside its From. */
export interface CallerIdentity {
  /**
   * P-Asserted-Identity (RFC 3325 §9.1): a SIP URI, a tel URI, or one of each. What a trunk puts there is true as far
   * as the trunk is trusted; from anybody else it is worth nothing.
   */
  asserted: readonly NameAddress[];
  /** Remote-Party-ID, by which older systems say the same. */
  remoteParty: NameAddress | undefined;
  /** Whether the caller wants its identity withheld (RFC 3323 §4.2, RFC 3325 §7), or has withheld it already. */
  isPrivate: boolean;
}

/** Reads who a request is from. Malformed values are left out. */
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

/** Who our own call is from, as the peer's network is to know it. */
export interface IdentityOptions {
  /** Goes into P-Asserted-Identity: for a trunk that trusts us to say whose number it is (RFC 3325). */
  asserted?: Party;
  /** Goes into P-Preferred-Identity: for a proxy that checks it and asserts it itself. */
  preferred?: Party;
  /** Withholds the caller: From is anonymous, and the network is asked to tell nobody (RFC 3323, RFC 3325). */
  isPrivate?: boolean;
}

/** The From and the further header fields of an INVITE. */
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
  // No character may end the angle brackets early.
  const uri = singleLine(uriOf(party)).replace(/[<>"\s]/g, "");
  const displayName = typeof party === "string" ? "" : singleLine(party.displayName);
  return displayName === "" ? `<${uri}>` : `${quote(displayName)} <${uri}>`;
}
