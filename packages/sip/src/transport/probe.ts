import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { clientTlsOptions, type TlsOptions, WRONG_NAME_CODE } from "./tls-identity.ts";
import type { Hop } from "./transport.ts";

export interface ProbeOptions {
  /** How TLS peers are judged and what is shown to them. */
  tls?: Partial<TlsOptions>;
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

/** Connects to a hop by TCP, over TLS with a handshake, says nothing, and tells what came of it. Never rejects. */
export async function probeConnection(hop: Hop, { tls, timeoutMs }: ProbeOptions): Promise<ConnectionProbe> {
  const startedAtMs = performance.now();
  const socket = connect({ host: hop.address, port: hop.port });
  try {
    const refusal = await settled(socket, "connect", timeoutMs);
    const connectedAtMs = performance.now();
    const connectMs = connectedAtMs - startedAtMs;
    if (refusal !== undefined || hop.protocol !== "TLS") {
      return { connectMs, tlsMs: undefined, failure: refusal && toConnectFailure(refusal) };
    }
    const secured = connectTls({ socket, ...clientTlsOptions(hop.domain ?? hop.address, tls) });
    const failure = await settled(secured, "secureConnect", timeoutMs);
    secured.destroy();
    return { connectMs, tlsMs: performance.now() - connectedAtMs, failure: failure && toTlsFailure(failure) };
  } finally {
    socket.destroy();
  }
}

/** What kept the event from coming; undefined where it came. */
function settled(
  socket: Socket,
  event: "connect" | "secureConnect",
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
