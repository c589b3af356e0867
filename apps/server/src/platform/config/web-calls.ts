import type { EnvironmentReader } from "./environment-reader.ts";
import { type PortRange, parsePortOrRange } from "./ports.ts";

/** Settings of browser calls. */
export interface WebCallsConfig {
  /** Without a trailing slash. `undefined`: the URL of the request. */
  publicUrl: string | undefined;
  /** At least one port for each media process. */
  ports: PortRange;
  stunUrls: readonly string[];
  turn: { urls: readonly string[]; secret: string } | undefined;
}

export function readWebCalls(reader: EnvironmentReader, mediaProcesses: number): WebCallsConfig {
  const ports = reader.parseOrDefault("PARLEY_WEBRTC_PORTS", parsePortOrRange);
  if (ports.last - ports.first + 1 < mediaProcesses)
    reader.report(
      `PARLEY_WEBRTC_PORTS must contain at least ${mediaProcesses} ports, one for each media process`,
    );
  return {
    publicUrl: reader.url("PARLEY_PUBLIC_URL"),
    ports,
    stunUrls: reader.parse("PARLEY_STUN_URLS", iceUrlsOf("stun")) ?? [],
    turn: readTurn(reader),
  };
}

function readTurn(reader: EnvironmentReader): WebCallsConfig["turn"] {
  const urls = reader.parse("PARLEY_TURN_URLS", iceUrlsOf("turn"));
  return urls && { urls, secret: reader.requiredText("PARLEY_TURN_SECRET", "PARLEY_TURN_URLS") };
}

/** RFC 7064, RFC 7065. */
function iceUrlsOf(scheme: "stun" | "turn"): (value: string) => string[] {
  const pattern = scheme === "stun" ? /^stuns?:[\w.:[\]-]+$/ : /^turns?:[\w.:[\]-]+(\?transport=(udp|tcp))?$/;
  return (value) => {
    const urls = value.split(",").map((each) => each.trim());
    const wrong = urls.find((url) => !pattern.test(url));
    if (wrong === undefined) return urls;
    throw new Error(`must contain URLs such as ${scheme}:host:3478, not "${wrong}"`);
  };
}
