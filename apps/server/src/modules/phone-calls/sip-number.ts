import { parseUri } from "@parley/sip";

/** Digits with the visual separators of RFC 3966 §3, which have no meaning. */
const SEPARATED_NUMBER = /^\+?[0-9().-]*[0-9][0-9().-]*$/;

/**
 * Returns the number or name in a `sip:` or `tel:` URI. The user part of a `sip:` URI may have the parameters of a
 * telephone number (RFC 3261 §19.1.6), for example `;npdi=yes;rn=…` (RFC 4694), `;tgrp=…` (RFC 4904) or `;cic=…`,
 * with or without `user=phone`. They are removed.
 */
export function numberIn(text: string): string | undefined {
  const uri = parseUri(text);
  if (uri?.scheme === "tel") return uri.number;
  const [name] = uri?.user?.split(";", 1) ?? [];
  if (name === undefined || name === "") return undefined;
  return SEPARATED_NUMBER.test(name) ? name.replace(/[().-]/g, "") : name;
}
