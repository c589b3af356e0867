import type { Dialog } from "../../dialogs/dialog.ts";
import type { HeaderList } from "../../messages/header-list.ts";

/** Identifies a dialog to the peer at its other end, so that a new call can replace it (RFC 3891 §6.1). */
export interface Replaces {
  callId: string;
  /** The tag of the INVITE's recipient. */
  toTag: string;
  fromTag: string;
  isEarlyOnly: boolean;
}

/** An identifier of this dialog from the peer's side. */
export function replacesOf({ identity }: Dialog): Replaces {
  const { callId, localTag, remoteTag } = identity;
  return { callId, toTag: remoteTag, fromTag: localTag, isEarlyOnly: false };
}

export function formatReplaces({ callId, toTag, fromTag, isEarlyOnly }: Replaces): string {
  return `${callId};to-tag=${toTag};from-tag=${fromTag}${isEarlyOnly ? ";early-only" : ""}`;
}

/** Parses a Replaces value; `undefined` if malformed. */
export function parseReplaces(value: string): Replaces | undefined {
  const [callId = "", ...parameters] = value.split(";").map((part) => part.trim());
  const tagOf = (name: string): string | undefined =>
    parameters.find((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
  const [toTag, fromTag] = [tagOf("to-tag"), tagOf("from-tag")];
  if (!/^[^\s,;]+$/.test(callId) || toTag === undefined || fromTag === undefined) return undefined;
  const isEarlyOnly = parameters.some((each) => each.toLowerCase() === "early-only");
  return { callId, toTag, fromTag, isEarlyOnly };
}

/** The single Replaces that an INVITE may have (RFC 3891 §3); `"malformed"` if there are several or it is invalid. */
export function readReplaces(headers: HeaderList): Replaces | "malformed" | undefined {
  const values = headers.getList("replaces");
  const [value] = values;
  if (value === undefined) return undefined;
  return values.length > 1 || headers.has("join") ? "malformed" : (parseReplaces(value) ?? "malformed");
}
