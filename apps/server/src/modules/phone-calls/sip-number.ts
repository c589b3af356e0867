import { parseUri } from "@parley/sip";

/** The number or name that a `sip:` or `tel:` URI is about. */
export function numberIn(text: string): string | undefined {
  const uri = parseUri(text);
  return uri?.scheme === "tel" ? uri.number : uri?.user;
}
