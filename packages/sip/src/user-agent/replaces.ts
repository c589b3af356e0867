import type { Dialog } from "../dialogs/dialog.ts";
import type { HeaderList } from "../messages/header-list.ts";

/** Names a dialog to the peer that holds its other end, so that a new call can take its place (RFC 3891 §6.1). */
export interface Replaces {
  callId: string;
  /** The tag of whoever receives the INVITE. */
  toTag: string;
  fromTag: string;
  isEarlyOnly: boolean;
}

/** A name for this dialog that its peer understands. */
export function replacesOf({ identity }: Dialog): Replaces {
  const { callId, localTag, remoteTag } = identity;
  return { callId, toTag: remoteTag, fromTag: localTag, isEarlyOnly: false };
}

export function formatReplaces({ callId, toTag, fromTag, isEarlyOnly }: Replaces): string {
  return `${callId};to-tag=${toTag};from-tag=${fromTag}${isEarlyOnly ? ";early-only" : ""}`;
}

/** `undefined` where the text is no Replaces. */
export function parseReplaces(value: string): Replaces | undefined {
  const [callId = "", ...parameters] = value.split(";").map((part) => part.trim());
  const tagOf = (name: string): string | undefined =>
    parameters.find((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
  const [toTag, fromTag] = [tagOf("to-tag"), tagOf("from-tag")];
  if (!/^[^\s,;]+$/.test(callId) || toTag === undefined || fromTag === undefined) return undefined;
  const isEarlyOnly = parameters.some((each) => each.toLowerCase() === "early-only");
  return { callId, toTag, fromTag, isEarlyOnly };
}

/** The one Replaces that an INVITE may have (RFC 3891 §3); `"malformed"` where it has more, or one that is none. */
export function readReplaces(headers: HeaderList): Replaces | "malformed" | undefined {
  const values = headers.getList("replaces");
  const [value] = values;
  if (value === undefined) return undefined;
  return values.length > 1 || headers.has("join") ? "malformed" : (parseReplaces(value) ?? "malformed");
}
