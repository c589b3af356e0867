import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { clientTlsOptions, type TlsClientOptions, WRONG_NAME_CODE } from "./tls-identity.ts";
import type { Hop } from "./transport.ts";

export interface ProbeOptions {
  /** How TLS peers are judged and what is shown to them. */
  tls: TlsClientOptions;
  /** For the connection, and again for the TLS handshake. */
  timeoutMs: number;
}

export interface ProbeFailure {
  cause:
    | "refused"
    | "unreachable"
    | "timeout"
    /** The certificate is another's (RFC 5922 §7). */
    | "wrong_name"
    /** It comes from nobody whom we trust, has expired, or the like. */
    | "untrusted"
    /** It has ended the connection right after the handshake, and we have shown it no certificate. */
    | "certificate_wanted"
    /** The handshake failed otherwise: the peer speaks no TLS, or none that we speak, or wants another certificate of us. */
    | "handshake";
  reason: string;
}

/** How far a connection got; no `failure` where all of it was well. */
export interface ConnectionProbe {
  connectMs: number;
  /** Undefined where there was no TLS to be had or it never came to that. */
  tlsMs: number | undefined;
  failure: ProbeFailure | undefined;
}

/** In TLS 1.3 a server refuses a client that shows no certificate only after the client's handshake is done. */
const REFUSAL_DELAY_MS = 300;

/** Connects to a hop by TCP, over TLS with a handshake, says nothing, and tells what came of it. Never rejects. */
export async function probeConnection(hop: Hop, { tls, timeoutMs }: ProbeOptions): Promise<ConnectionProbe> {
  const startedAtMs = performance.now();
  const socket = connect({ host: hop.address, port: hop.port });
  try {
    const obstacle = await settled(socket, "connect", timeoutMs);
    const connectedAtMs = performance.now();
    const connectMs = connectedAtMs - startedAtMs;
    if (obstacle !== undefined || hop.protocol !== "TLS") {
      return { connectMs, tlsMs: undefined, failure: obstacle && toConnectFailure(obstacle) };
    }
    const secured = connectTls({ socket, ...clientTlsOptions(hop.domain ?? hop.address, tls) });
    const failure = await settled(secured, "secureConnect", timeoutMs);
    const tlsMs = performance.now() - connectedAtMs;
    const isAnonymous = failure === undefined && tls.certificate === undefined;
    const refusal = isAnonymous ? await refusalOfAnonymous(secured) : undefined;
    secured.destroy();
    return { connectMs, tlsMs, failure: failure === undefined ? refusal : toTlsFailure(failure) };
  } finally {
    socket.destroy();
  }
}

async function refusalOfAnonymous(secured: Socket): Promise<ProbeFailure | undefined> {
  const ended = await settled(secured, "data", REFUSAL_DELAY_MS);
  if (ended === undefined || codeOf(ended) === "ETIMEDOUT") return undefined;
  return { cause: "certificate_wanted", reason: ended.message };
}

/** What kept the event from coming; undefined where it came. */
function settled(
  socket: Socket,
  event: "connect" | "secureConnect" | "data",
  timeoutMs: number,
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(withCode("no answer in time", "ETIMEDOUT")), timeoutMs);
    const settle = (error: Error | undefined): void => {
      clearTimeout(timer);
      resolve(error);
    };
    socket.once(event, () => settle(undefined));
    socket.on("error", settle);
    socket.once("close", () => settle(withCode("the peer closed the connection", "ECONNRESET")));
  });
}

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}

function toConnectFailure(error: Error): ProbeFailure {
  const causes: Readonly<Record<string, ProbeFailure["cause"]>> = {
    ECONNREFUSED: "refused",
    ETIMEDOUT: "timeout",
  };
  return { cause: causes[codeOf(error)] ?? "unreachable", reason: error.message };
}

function toTlsFailure(error: Error): ProbeFailure {
  const code = codeOf(error);
  if (code === WRONG_NAME_CODE) return { cause: "wrong_name", reason: error.message };
  if (code === "ETIMEDOUT") return { cause: "timeout", reason: error.message };
  // OpenSSL's verdicts on a chain (X509_V_ERR_*), by their names in Node.
  const isVerdict = /CERT|SELF_SIGNED|VERIFY|CRL|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH/.test(
    code,
  );
  return {
    cause: isVerdict && !code.startsWith("ERR_SSL") ? "untrusted" : "handshake",
    reason: error.message,
  };
}
