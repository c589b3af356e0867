import type { NameAddress } from "../grammar/name-address.ts";
import { unquote } from "../grammar/scanner.ts";
import type { HeaderList } from "../messages/header-list.ts";
import { addressesOf } from "../messages/message.ts";

/** One station that a call was diverted from before it came here. */
export interface Diversion {
  /** Who was called there. */
  address: NameAddress;
  /** Such as `user-busy`, `no-answer`, `unconditional`; for History-Info the cause of RFC 4458 as text. */
  reason: string | undefined;
  /** How often the call was diverted there, 1 where nothing is said. */
  count: number;
}

/** RFC 5806: the stations in order, the last diversion first. Empty where there are none, or none can be read. */
export function readDiversions(headers: HeaderList): Diversion[] {
  return (addressesOf(headers, "diversion") ?? []).map((address) => ({
    address,
    reason: textOf(address, "reason"),
    count: Math.max(1, Number(/^\d{1,4}$/.exec(textOf(address, "counter") ?? "")?.[0] ?? 1)),
  }));
}

/** One target of a call on its way (RFC 7044 §5). */
export interface HistoryEntry {
  address: NameAddress;
  /** Its place in the tree of targets, such as `1.2`. */
  index: string;
  /** The cause parameter of the URI (RFC 4458), or that of the Reason in it: why the call went there. */
  cause: string | undefined;
}

/** RFC 7044: every target in order, the oldest first. Entries without an index are left out. */
export function readHistory(headers: HeaderList): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const address of addressesOf(headers, "history-info") ?? []) {
    const index = textOf(address, "index");
    if (index === undefined || !/^\d+(\.\d+)*$/.test(index)) continue;
    entries.push({ address, index, cause: causeIn(address.uri) });
  }
  return entries;
}

/** RFC 4458 as a parameter of the URI, else RFC 3326 as a header field in it. */
function causeIn(uri: string): string | undefined {
  const reason = uri.split(/[?&]/).find((part, index) => index > 0 && /^reason=/i.test(part)) ?? "";
  return (/[;?&]cause=(\d{3})/i.exec(uri) ?? /cause%3D(\d{3})/i.exec(reason))?.[1];
}

function textOf({ parameters }: NameAddress, name: string): string | undefined {
  const value = parameters.get(name);
  return value === undefined ? undefined : unquote(value).toLowerCase();
}
