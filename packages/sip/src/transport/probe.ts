import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { clientTlsOptions, type TlsClientOptions, WRONG_NAME_CODE } from "./tls-identity.ts";
import type { Hop } from "./transport.ts";

export interface ProbeOptions {
  /** Settings for checking TLS peers, and our certificate, if any. */
  tls: TlsClientOptions;
  /** Limit for the connection, and again for the TLS handshake. */
  timeoutMs: number;
}

export interface ProbeFailure {
  cause:
    | "refused"
    | "unreachable"
    | "timeout"
    /** The certificate belongs to another name (RFC 5922 §7). */
    | "wrong_name"
    /** The certificate has an untrusted issuer, has expired or is otherwise invalid. */
    | "untrusted"
    /** The peer closed the connection right after the handshake, in which we sent no certificate. */
    | "certificate_wanted"
    /** Any other handshake failure: no TLS, no common TLS version, or our certificate was rejected. */
    | "handshake";
  reason: string;
}

/** Progress of a connection; without `failure` it succeeded. */
export interface ConnectionProbe {
  connectMs: number;
  /** `undefined` if no TLS handshake was completed. */
  tlsMs: number | undefined;
  failure: ProbeFailure | undefined;
}

/** In TLS 1.3, a server rejects a client without certificate only after the client has finished the handshake. */
const REFUSAL_DELAY_MS = 300;

/** Connects over TCP, with a handshake for TLS, sends nothing, and returns the result. Never rejects. */
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
    const rejection = isAnonymous ? await rejectionOfAnonymous(secured) : undefined;
    secured.destroy();
    return { connectMs, tlsMs, failure: failure === undefined ? rejection : toTlsFailure(failure) };
  } finally {
    socket.destroy();
  }
}

async function rejectionOfAnonymous(secured: Socket): Promise<ProbeFailure | undefined> {
  const ended = await settled(secured, "data", REFUSAL_DELAY_MS);
  if (ended === undefined || codeOf(ended) === "ETIMEDOUT") return undefined;
  return { cause: "certificate_wanted", reason: ended.message };
}

/** The error that prevented the event, or `undefined` if it happened. */
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
  // OpenSSL verification errors (X509_V_ERR_*), by their names in Node.
  const isVerdict = /CERT|SELF_SIGNED|VERIFY|CRL|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH/.test(
    code,
  );
  return {
    cause: isVerdict && !code.startsWith("ERR_SSL") ? "untrusted" : "handshake",
    reason: error.message,
  };
}
