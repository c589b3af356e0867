/** What an answer to an INVITE tells of the dialog that it made. */
interface Dialog {
  status: number;
  lines: readonly string[];
}

/** `2xx` and so on; 500 is the node's own failure, as nothing that is sent here comes late in a dialog (RFC 3261 §12.2.2). */
export function classOf(status: string): string {
  return status === "500" ? "!500" : `${status[0] ?? "?"}xx`;
}

/** The statuses of all responses in what has arrived; requests of the node (BYE) count as such. */
export function classesIn(text: string): string[] {
  return [...text.matchAll(/^(?:SIP\/2\.0 (\d{3}) |[A-Z]+ \S+ SIP\/2\.0\r$)/gm)].map(([, status]) =>
    status === undefined ? "request" : classOf(status),
  );
}

/** ACK for the final response to an INVITE, and BYE where it was accepted; nothing for another message. */
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
