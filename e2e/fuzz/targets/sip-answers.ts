/** The parts of an answer to an INVITE that identify its dialog. */
interface Dialog {
  status: number;
  lines: readonly string[];
}

/**
 * Returns `2xx` and so on. 500 is a failure of the node, because no input arrives late in a dialog (RFC 3261
 * §12.2.2).
 */
export function classOf(status: string): string {
  return status === "500" ? "!500" : `${status[0] ?? "?"}xx`;
}

/** Returns the statuses of all responses in the received text; requests of the node (BYE) count as well. */
export function classesIn(text: string): string[] {
  return [...text.matchAll(/^(?:SIP\/2\.0 (\d{3}) |[A-Z]+ \S+ SIP\/2\.0\r$)/gm)].map(([, status]) =>
    status === undefined ? "request" : classOf(status),
  );
}

/**
 * Returns an ACK for the final response to an INVITE, and a BYE if it was accepted; nothing for other
 * messages.
 */
export function leave(response: string): string[] {
  const { status, lines } = read(response);
  const cseq = find(lines, "CSeq");
  if (status < 200 || !cseq.endsWith(" INVITE")) return [];
  const ack = inDialog("ACK", Number.parseInt(cseq, 10), lines);
  return status < 300 ? [ack, inDialog("BYE", Number.parseInt(cseq, 10) + 1, lines)] : [ack];
}

function read(response: string): Dialog {
  const lines = response.split("\r\n");
  return { status: Number(/^SIP\/2\.0 (\d{3})/.exec(response)?.[1] ?? 0), lines };
}

function find(lines: readonly string[], name: string): string {
  const line = lines.find((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim() ?? "";
}

function inDialog(method: string, sequence: number, lines: readonly string[]): string {
  const contact = /<([^>]+)>/.exec(find(lines, "Contact"))?.[1];
  const to = /<([^>]*)>/.exec(find(lines, "To"))?.[1] ?? "sip:127.0.0.1";
  const branch = method === "ACK" && contact === undefined ? "" : `${method}${sequence}`;
  return [
    `${method} ${contact ?? to} SIP/2.0`,
    `Via: ${find(lines, "Via").replace(/branch=([^;]*)/, `branch=$1${branch}`)}`,
    "Max-Forwards: 70",
    `From: ${find(lines, "From")}`,
    `To: ${find(lines, "To")}`,
    `Call-ID: ${find(lines, "Call-ID")}`,
    `CSeq: ${sequence} ${method}`,
    "Content-Length: 0",
    "",
    "",
  ].join("\r\n");
}
