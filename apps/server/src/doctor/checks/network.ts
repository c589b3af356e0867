import { networkInterfaces } from "node:os";
import { errorMessage } from "@parley/conversation/error-message";
import type { PortRange } from "@parley/rtp";
import type { Config } from "../../platform/config/config.ts";
import { isPublicAddress } from "../../platform/outbound-http/public-address.ts";
import { everyAddress, tryTcpPort, tryUdpPort } from "../../platform/machine/ports.ts";
import { findLocalAddressTowards } from "../../platform/local-address.ts";
import { type Check, failed, type Finding, ok, skipped, warning } from "../finding.ts";

/** Ports of a range that are tried: opening ten thousand sockets would take too long. */
const TRIED_PORTS = 32;
/** Documentation address (RFC 5737): its route is looked up, nothing is sent. */
const EXTERNAL_ADDRESS = "192.0.2.1";
const PROBE_TIMEOUT_MS = 3_000;

interface Port {
  port: number;
  protocol: "udp" | "tcp";
  addresses: readonly { address: string; port: number }[];
  /** Variable that sets it. */
  variable: string;
}

type NetworkConfig = Pick<Config, "http" | "sip" | "rtpPorts" | "web">;

/** Whether every port can be opened, or is open because a Parley runs here already. */
export function portsCheck(config: NetworkConfig): Check {
  return {
    name: "ports",
    run: async () => {
      const overlap = findOverlap(config);
      if (overlap !== undefined) return overlap;
      const isParleyRunning = await answersAsParley(config.http.port);
      const findings: Finding[] = [];
      for (const port of singlePorts(config)) findings.push(await tryPort(port, isParleyRunning));
      findings.push(await tryRange(config.rtpPorts, "PARLEY_RTP_PORTS", isParleyRunning));
      findings.push(await tryRange(config.web.ports, "PARLEY_WEBRTC_PORTS", isParleyRunning));
      return findings;
    },
  };
}

function singlePorts({ http, sip }: NetworkConfig): Port[] {
  const tlsPort = sip.tls.server?.port;
  return [
    {
      port: http.port,
      protocol: "tcp",
      addresses: [{ address: http.host, port: http.port }],
      variable: "PARLEY_HTTP_PORT",
    },
    { port: sip.port, protocol: "udp", addresses: everyAddress(sip.port), variable: "PARLEY_SIP_PORT" },
    { port: sip.port, protocol: "tcp", addresses: everyAddress(sip.port), variable: "PARLEY_SIP_PORT" },
    ...(tlsPort === undefined
      ? []
      : [
          {
            port: tlsPort,
            protocol: "tcp" as const,
            addresses: everyAddress(tlsPort),
            variable: "PARLEY_SIP_TLS_PORT",
          },
        ]),
  ];
}

function findOverlap({ sip, rtpPorts, web }: NetworkConfig): Finding | undefined {
  const ranges = [
    { variable: "PARLEY_SIP_PORT", first: sip.port, last: sip.port },
    { variable: "PARLEY_RTP_PORTS", ...rtpPorts },
    { variable: "PARLEY_WEBRTC_PORTS", ...web.ports },
  ];
  for (const [index, one] of ranges.entries()) {
    const other = ranges.slice(index + 1).find(({ first, last }) => first <= one.last && one.first <= last);
    if (other !== undefined) {
      const message = `${one.variable} (${one.first}-${one.last}) and ${other.variable} (${other.first}-${other.last}) overlap.`;
      return failed(message, `Set ${other.variable} to different ports.`);
    }
  }
  return undefined;
}

async function tryPort(
  { port, protocol, addresses, variable }: Port,
  isParleyRunning: boolean,
): Promise<Finding> {
  const name = `Port ${port}/${protocol} (${variable})`;
  const tryAddress = protocol === "tcp" ? tryTcpPort : tryUdpPort;
  const problems = await Promise.all(addresses.map(async (each) => await findProblem(tryAddress(each))));
  const problem = problems.find((each) => each !== undefined);
  if (problem === undefined) return ok(`${name} is free.`);
  if (problem === "EADDRINUSE" && isParleyRunning) return ok(`${name} is used by the Parley that runs here.`);
  if (problem === "EADDRINUSE") {
    return failed(
      `${name} is in use by another program.`,
      `Stop that program (ss -lnp shows it), or set ${variable}.`,
    );
  }
  if (problem === "EACCES") {
    return failed(
      `${name} cannot be opened by this user.`,
      `Set ${variable} above 1023, or allow the user to open it.`,
    );
  }
  return failed(`${name} cannot be opened: ${problem}.`, `Set ${variable} to a port of this machine.`);
}

async function tryRange(
  { first, last }: PortRange,
  variable: string,
  isParleyRunning: boolean,
): Promise<Finding> {
  const count = last - first + 1;
  const step = Math.max(1, Math.floor(count / TRIED_PORTS));
  const taken: number[] = [];
  for (let port = first; port <= last; port += step) {
    if ((await findProblem(tryUdpPort({ address: "0.0.0.0", port }))) !== undefined) taken.push(port);
  }
  const range = `${first === last ? first : `${first}-${last}`}/udp (${variable})`;
  if (taken.length === 0) return ok(`Ports ${range}: all tested ports are free.`);
  // Calls in progress have some of them.
  if (isParleyRunning) return ok(`Ports ${range} are used by the Parley that runs here.`);
  const text = `Ports ${range}: some are in use by another program: ${taken.slice(0, 5).join(", ")}.`;
  const remedy = `Set ${variable} to a range that nothing else uses.`;
  return taken.length * step >= count ? failed(text, remedy) : warning(text, remedy);
}

/** Returns the code of the error; `undefined` if the port is free. */
async function findProblem(attempt: Promise<void>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : errorMessage(error);
  }
}

/** Whether a Parley serves this port of the machine. */
async function answersAsParley(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      redirect: "error",
    });
    return response.ok && (await response.text()).slice(0, 100) === '{"status":"ok"}';
  } catch {
    return false;
  }
}

/** Whether carriers and browsers can reach this machine at the address that it announces. */
export function publicAddressCheck({ publicAddress }: Pick<Config, "publicAddress">): Check {
  return {
    name: "public address",
    run: async () => {
      const own = await findLocalAddressTowards(EXTERNAL_ADDRESS).catch(() => undefined);
      if (publicAddress === undefined) return judgeOwnAddress(own);
      const locals = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
      if (locals.some(({ address }) => address === publicAddress)) {
        if (isPublicAddress(publicAddress))
          return ok(`PARLEY_PUBLIC_ADDRESS ${publicAddress} is this machine's.`);
        return warning(
          `PARLEY_PUBLIC_ADDRESS ${publicAddress} is not reachable from the internet.`,
          "This works for a PBX in the same network. For a carrier, set PARLEY_PUBLIC_ADDRESS to the public address.",
        );
      }
      if (isPublicAddress(publicAddress)) {
        return ok(
          `PARLEY_PUBLIC_ADDRESS ${publicAddress} belongs to a device in front (NAT), which must forward the SIP and RTP ports unchanged.`,
        );
      }
      return failed(
        `PARLEY_PUBLIC_ADDRESS ${publicAddress} is a private address that no interface of this machine has.`,
        `Set it to the address that callers reach, or remove it${own === undefined ? "" : ` (this machine has ${own})`}.`,
      );
    },
  };
}

function judgeOwnAddress(own: string | undefined): Finding {
  if (own === undefined) {
    return warning(
      "This machine has no network connection.",
      "Only calls from this machine work. Connect it to a network.",
    );
  }
  if (isPublicAddress(own)) return ok(`Callers send audio to ${own}, the address of this machine.`);
  return warning(
    `Callers send audio to ${own}, which is reachable only from the local network.`,
    "This works for a PBX in the same network. For a carrier, set PARLEY_PUBLIC_ADDRESS to the public address.",
  );
}

/** Whether browsers may use their microphone on our pages. */
export function publicUrlCheck({ web }: Pick<Config, "web">): Check {
  return {
    name: "public URL",
    run: async () => {
      const { publicUrl } = web;
      if (publicUrl === undefined)
        return skipped("PARLEY_PUBLIC_URL is not set: browser calls work on this machine only.");
      const { protocol, hostname } = new URL(publicUrl);
      const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
      if (protocol === "https:" || isLocal)
        return ok(`Browsers reach this server at ${publicUrl} and may use the microphone.`);
      return failed(
        `PARLEY_PUBLIC_URL ${publicUrl} is not HTTPS: browsers block the microphone.`,
        "Put a proxy with a certificate in front (docs/guides/tls.md) and set PARLEY_PUBLIC_URL to its https:// address.",
      );
    },
  };
}
