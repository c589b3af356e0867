import { parseUri } from "@parley/sip";

/** Returns the number or name in a `sip:` or `tel:` URI. */
export function numberIn(text: string): string | undefined {
  const uri = parseUri(text);
  return uri?.scheme === "tel" ? uri.number : uri?.user;
}
