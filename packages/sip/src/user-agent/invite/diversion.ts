import type { NameAddress } from "../../grammar/name-address.ts";
import { unquote } from "../../grammar/scanner.ts";
import type { HeaderList } from "../../messages/header-list.ts";
import { addressesOf } from "../../messages/message.ts";

/** One diversion of a call before it arrived. */
export interface Diversion {
  /** The diverting party. */
  address: NameAddress;
  /** For example `user-busy`, `no-answer`, `unconditional`; for History-Info the cause of RFC 4458 as text. */
  reason: string | undefined;
  /** Number of diversions by this party; 1 by default. */
  count: number;
}

/** RFC 5806: the diversions, last one first. Malformed ones are omitted. */
export function readDiversions(headers: HeaderList): Diversion[] {
  return (addressesOf(headers, "diversion") ?? []).map((address) => ({
    address,
    reason: textOf(address, "reason"),
    count: Math.max(1, Number(/^\d{1,4}$/.exec(textOf(address, "counter") ?? "")?.[0] ?? 1)),
  }));
}

/** One target in the history of a call (RFC 7044 §5). */
export interface HistoryEntry {
  address: NameAddress;
  /** Its position in the tree of targets, for example `1.2`. */
  index: string;
  /** Why the call was sent there: the cause parameter of the URI (RFC 4458), or of the Reason in it. */
  cause: string | undefined;
}

/** RFC 7044: every target, oldest first. Entries without an index are omitted. */
export function readHistory(headers: HeaderList): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const address of addressesOf(headers, "history-info") ?? []) {
    const index = textOf(address, "index");
    if (index === undefined || !/^\d+(\.\d+)*$/.test(index)) continue;
    entries.push({ address, index, cause: causeIn(address.uri) });
  }
  return entries;
}

/** The cause in a URI parameter (RFC 4458), or in a Reason header field of the URI (RFC 3326). */
function causeIn(uri: string): string | undefined {
  const reason = uri.split(/[?&]/).find((part, index) => index > 0 && /^reason=/i.test(part)) ?? "";
  return (/[;?&]cause=(\d{3})/i.exec(uri) ?? /cause%3D(\d{3})/i.exec(reason))?.[1];
}

function textOf({ parameters }: NameAddress, name: string): string | undefined {
  const value = parameters.get(name);
  return value === undefined ? undefined : unquote(value).toLowerCase();
}
