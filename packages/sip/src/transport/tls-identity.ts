import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";

/** Checks on servers to which we connect, and our own certificate if they request one; PEM texts. */
export interface TlsClientOptions {
  certificate?: string;
  privateKey?: string;
  /** Accepted certificate authorities. Default: those built into Node. */
  authorities?: string;
  /** If true, `*.example.com` matches `sip.example.com`. RFC 5922 §7.2 forbids this; some carriers need it. */
  allowsWildcards?: boolean;
}

/** TLS settings for a listener. */
export interface TlsOptions extends TlsClientOptions {
  /** Our certificate with its chain, sent to peers that connect and to servers that request one. */
  certificate: string;
  privateKey: string;
  /** If true, peers that connect must present a certificate of one of the authorities. */
  isClientCertificateRequired?: boolean;
}

/** Error code for a certificate of another name; the same as Node's own. */
export const WRONG_NAME_CODE = "ERR_TLS_CERT_ALTNAME_INVALID";

/** TLS settings for a connection to a server of this domain (RFC 3261 §26.3, RFC 5922 §7). */
export function clientTlsOptions(domain: string, tls: TlsClientOptions = {}): ConnectionOptions {
  const { certificate, privateKey, authorities, allowsWildcards = false } = tls;
  return {
    // RFC 6066 §3: SNI cannot contain an address.
    ...(isIP(domain) === 0 ? { servername: domain } : {}),
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
    checkServerIdentity: (_host, { raw }) => {
      const shown = new X509Certificate(raw);
      if (isCertificateFor(shown, domain, allowsWildcards)) return undefined;
      const names = shown.subjectAltName ?? shown.subject.replaceAll("\n", ", ");
      const error = new Error(`the certificate is for ${names}, not for ${domain}`);
      return Object.assign(error, { code: WRONG_NAME_CODE });
    },
  };
}

/**
 * True if a certificate is valid for this SIP domain (RFC 5922 §7): by a `sip:` URI or DNS name among its
 * alternative names, or else by its common name; an address needs an alternative name of its own kind.
 *
 * @param allowsWildcards if true, `*.example.com` matches one label. RFC 5922 §7.2 forbids it, but many carriers
 * use it.
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
    // §7.1: the common name counts only if there are no alternative names for SIP.
    subject: sipDomains.length > 0 ? "never" : "default",
  });
  return match !== undefined;
}

/** §7.1: a URI with a user part identifies a person, not a domain. */
function sipDomainsIn(alternativeNames: string): string[] {
  return Array.from(alternativeNames.matchAll(/(?:^|, )URI:"?sip:([^\s,";@:]+)(?=$|[,";:])/gi), (match) =>
    (match[1] ?? "").toLowerCase(),
  );
}
