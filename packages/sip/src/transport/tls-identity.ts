import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/**
 * Whether a certificate is one for this SIP domain (RFC 5922 §7): by a `sip:` URI or a DNS name among its alternative
 * names, else by its common name; an address by an alternative name of its own kind.
 *
 * @param allowsWildcards whether `*.example.com` stands for one label. RFC 5922 §7.2 forbids it, many carriers have it.
 */
export function isCertificateFor(
  certificate: X509Certificate,
  domain: string,
  allowsWildcards: boolean,
): boolean {
  if (isIP(domain) !== 0) return certificate.checkIP(domain) !== undefined;
  const wanted = domain.toLowerCase();
  const sipDomains = sipDomainsIn(certificate.subjectAltName ?? "");
  if (sipDomains.includes(wanted)) return true;
  const match = certificate.checkHost(wanted, {
    wildcards: allowsWildcards,
    partialWildcards: false,
    multiLabelWildcards: false,
    // §7.1: the common name counts only where the alternative names say nothing.
    subject: sipDomains.length > 0 ? "never" : "default",
  });
  return match !== undefined;
}

/** §7.1: a URI with a user part names a person, not a domain. */
function sipDomainsIn(alternativeNames: string): string[] {
  return Array.from(alternativeNames.matchAll(/(?:^|, )URI:"?sip:([^\s,";@:]+)(?=$|[,";:])/gi), (match) =>
    (match[1] ?? "").toLowerCase(),
  );
}
