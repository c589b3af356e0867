/** Header fields whose printed name is not simply capitalized; also the common ones, to save the work. */
const printedNames = [
  "Via",
  "From",
  "To",
  "Call-ID",
  "CSeq",
  "Contact",
  "Max-Forwards",
  "Content-Length",
  "Content-Type",
  "Content-Encoding",
  "Content-Disposition",
  "Route",
  "Record-Route",
  "Allow",
  "Allow-Events",
  "Supported",
  "Require",
  "Proxy-Require",
  "Unsupported",
  "User-Agent",
  "Server",
  "Accept",
  "Accept-Encoding",
  "Accept-Language",
  "Authorization",
  "Proxy-Authorization",
  "WWW-Authenticate",
  "Proxy-Authenticate",
  "Authentication-Info",
  "Expires",
  "Min-Expires",
  "Min-SE",
  "Refer-Sub",
  "Info-Package",
  "Recv-Info",
  "History-Info",
  "Session-Expires",
  "Event",
  "RAck",
  "RSeq",
  "Reason",
  "Retry-After",
  "Refer-To",
  "Referred-By",
  "Replaces",
  "Subject",
  "Timestamp",
  "Date",
  "Warning",
  "Organization",
  "Privacy",
  "MIME-Version",
  "P-Asserted-Identity",
  "P-Preferred-Identity",
  "Remote-Party-ID",
  "Diversion",
  "Path",
  "Subscription-State",
] as const;

/** RFC 3261 §7.3.3 and the IANA registry of SIP header fields. */
const compactForms: Readonly<Record<string, string>> = {
  a: "accept-contact",
  b: "referred-by",
  c: "content-type",
  d: "request-disposition",
  e: "content-encoding",
  f: "from",
  i: "call-id",
  j: "reject-contact",
  k: "supported",
  l: "content-length",
  m: "contact",
  o: "event",
  r: "refer-to",
  s: "subject",
  t: "to",
  u: "allow-events",
  v: "via",
  x: "session-expires",
  y: "identity",
};

const lowerCaseByWritten = new Map<string, string>();
const printedByLowerCase = new Map<string, string>();
for (const printed of printedNames) {
  const lowerCase = printed.toLowerCase();
  printedByLowerCase.set(lowerCase, printed);
  lowerCaseByWritten.set(printed, lowerCase);
  lowerCaseByWritten.set(lowerCase, lowerCase);
}
for (const [compact, lowerCase] of Object.entries(compactForms)) {
  lowerCaseByWritten.set(compact, lowerCase);
  lowerCaseByWritten.set(compact.toUpperCase(), lowerCase);
}

/** The full header field name in lower case, from any written form. */
export function canonicalHeaderName(written: string): string {
  return lowerCaseByWritten.get(written) ?? written.toLowerCase();
}

export function printedHeaderName(lowerCase: string): string {
  return (
    printedByLowerCase.get(lowerCase) ??
    lowerCase.replace(/(^|-)([a-z])/g, (_match, dash: string, letter: string) => dash + letter.toUpperCase())
  );
}
