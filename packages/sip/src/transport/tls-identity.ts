import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";

/** How servers that we connect to are judged, and what is shown to those that ask for a certificate; PEM texts. */
export interface TlsClientOptions {
  certificate?: string;
  privateKey?: string;
  /** Certificates of the authorities that peers' certificates may come from. Default: those that Node knows. */
  authorities?: string;
  /** Whether `*.example.com` stands for `sip.example.com`, which RFC 5922 §7.2 forbids and some carriers need. */
  allowsWildcards?: boolean;
}

/** For those who can be connected to as well. */
export interface TlsOptions extends TlsClientOptions {
  /** Our certificate with the chain above it. Shown to peers that connect, and to servers that ask for one. */
  certificate: string;
  privateKey: string;
  /** Whether peers that connect must show a certificate from one of the authorities. */
  isClientCertificateRequired?: boolean;
}

/** Of an error that says that a certificate is another's: the code that Node gives its own. */
export const WRONG_NAME_CODE = "ERR_TLS_CERT_ALTNAME_INVALID";

/** How we connect to a server that has to be this domain's (RFC 3261 §26.3, RFC 5922 §7). */
export function clientTlsOptions(domain: string, tls: TlsClientOptions = {}): ConnectionOptions {
  const { certificate, privateKey, authorities, allowsWildcards = false } = tls;
  return {
    // RFC 6066 §3: no address stands in SNI.
    ...(isIP(domain) === 0 ? { servername: domain } : {}),
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
    checkServerIdentity: (_host, { raw }) => {
      const shown = new X509Certificate(raw);
      if (isCertificateFor(shown, domain, allowsWildcards)) return undefined;
      const names = shown.subjectAltName ?? shown.subject.replaceAll("\n", ", ");
      const error = new Error(`the certificate is not one for ${domain} but for ${names}`);
      return Object.assign(error, { code: WRONG_NAME_CODE });
    },
  };
}

/**
 * Whether a certificate is one for this SIP domain (RFC 5922 §7): by a `sip:` URI or a DNS name among its alternative
 * names, else by its common name; an address by an alternative name of its own kind.
 *
 * @param allowsWildcards whether `*.example.com` stands for one label. RFC 5922 §7.2 forbids it, many carriers have it.
 */
function isCertificateFor(certificate: X509Certificate, domain: string, allowsWildcards: boolean): boolean {
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
