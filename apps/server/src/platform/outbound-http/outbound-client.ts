import type { LookupAddress } from "node:dns";
import { type LookupFunction, isIP } from "node:net";
import { callbackify } from "node:util";
import { errorMessage } from "@parley/conversation/error-message";
import { type Resolver, SystemResolver } from "@parley/sip/resolver";
import { Agent, type Dispatcher, buildConnector, request as sendRequest } from "undici";
import { forbidInTransaction } from "../database/transaction-scope.ts";
import { isPublicAddress } from "./public-address.ts";
import { readInPieces } from "./read-in-pieces.ts";

const CONNECT_DEADLINE_MS = 5_000;
/** A server may close an idle connection just when it is used again; a short lifetime makes that rare. */
const KEEP_ALIVE_MS = 4_000;
/** Limits the effect of a server that does not answer to its own origin. */
const CONNECTIONS_PER_ORIGIN = 64;
const DEFAULT_MAX_ANSWER_BYTES = 1024 * 1024;

export interface OutboundRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `http:` or `https:`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Time until the last byte of the answer. */
  deadlineMs: number;
  /** Further bytes of the answer are not read. Default: 1 MiB. */
  maxAnswerBytes?: number;
  signal: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  /** At most the first `maxAnswerBytes`. */
  body: Uint8Array<ArrayBuffer>;
  /** Whether the answer is longer. */
  isCut: boolean;
  contentType: string | undefined;
  /** How the body is compressed. It is not decompressed. */
  contentEncoding: string | undefined;
  /** Where a redirect leads, as the server wrote it. */
  location: string | undefined;
}

/** The request got no answer. An answer of any status is not an error. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  /** `request`: it is malformed and was not sent. */
  readonly kind: "connection" | "timeout" | "refused_address" | "request";

  constructor(kind: OutboundError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export interface OutboundClientOptions {
  isPrivateAllowed: boolean;
  /** Defaults to the system's name servers. */
  resolver?: Pick<Resolver, "addresses">;
}

/**
 * Sends requests to addresses that users configure: tools, webhooks. Unless private addresses are allowed, it connects
 * only to the public Internet. It checks the address of the connection itself, so that a name that resolves to another
 * address the second time gains nothing. Names without an answer occupy no thread, so that they delay only their own
 * requests. Redirects are answers like any other. Its owner closes it.
 */
export class OutboundClient {
  readonly #agent: Agent;
  readonly #closing = new AbortController();

  constructor({ isPrivateAllowed, resolver = new SystemResolver() }: OutboundClientOptions) {
    this.#agent = new Agent({
      connect: createConnector({ isPrivateAllowed, resolver }, this.#closing.signal),
      connections: CONNECTIONS_PER_ORIGIN,
      keepAliveTimeout: KEEP_ALIVE_MS,
      allowH2: false,
      // The request's own deadline applies.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Rejects with an `OutboundError`, or with the signal's reason. */
  async send({ deadlineMs, signal, ...request }: OutboundRequest): Promise<OutboundAnswer> {
    forbidInTransaction("an address of a user's");
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return await this.#exchange(request, AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) throw new OutboundError("timeout", `no answer within ${deadlineMs} ms`);
      throw toOutboundError(error);
    }
  }

  async #exchange(
    {
      url,
      method,
      headers,
      body,
      maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES,
    }: Omit<OutboundRequest, "deadlineMs" | "signal">,
    signal: AbortSignal,
  ): Promise<OutboundAnswer> {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(new Error("aborted"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const sending = sendRequest(url, {
        dispatcher: this.#agent,
        method,
        headers,
        ...(body !== undefined && { body }),
        signal,
      });
      // A request that waits for its connection notices the signal only after connecting.
      const answer = await Promise.race([sending, aborted]);
      return {
        ...(await readBody(answer.body, maxAnswerBytes)),
        status: answer.statusCode,
        contentType: headerOf(answer, "content-type"),
        contentEncoding: headerOf(answer, "content-encoding"),
        location: headerOf(answer, "location"),
      };
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Aborts running requests. Idempotent. */
  async close(): Promise<void> {
    // The agent does not close connections that are still being set up.
    this.#closing.abort();
    await this.#agent.destroy();
  }
}

/** Connects only to public addresses unless private ones are allowed. The signal ends the connections. */
function createConnector(
  options: Required<OutboundClientOptions>,
  signal: AbortSignal,
): buildConnector.connector {
  const lookup = createLookup(options);
  const connect = buildConnector({ timeout: CONNECT_DEADLINE_MS, allowH2: false, signal, lookup });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[(.*)\]$/, "$1");
    // A literal address needs no lookup, which would check it.
    if (!options.isPrivateAllowed && isIP(host) !== 0 && !isPublicAddress(host))
      return callback(refusedAddress(host), null);
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      readInPieces(socket);
      callback(null, socket);
    });
  };
}

/** Resolves a name to the addresses that may be connected to. The connection uses one of them. */
function createLookup({ isPrivateAllowed, resolver }: Required<OutboundClientOptions>): LookupFunction {
  const find = async (hostname: string, family: unknown): Promise<LookupAddress[]> => {
    const { records } = await resolver.addresses(hostname);
    const found = records
      .map((address) => ({ address, family: isIP(address) }))
      .filter((each) => (family !== 4 && family !== 6) || each.family === family);
    if (found.length === 0) throw new Error(`${hostname} has no address in DNS`);
    const open = isPrivateAllowed ? found : found.filter(({ address }) => isPublicAddress(address));
    if (open.length === 0) throw refusedAddress(hostname);
    return open;
  };
  return (hostname, { all, family }, callback) => {
    callbackify(find)(hostname, family, (error, found) => {
      const [first] = found ?? [];
      if (first === undefined) callback(error, []);
      else if (all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

function refusedAddress(host: string): OutboundError {
  return new OutboundError("refused_address", `${host} is not a public address`);
}

async function readBody(
  body: Dispatcher.ResponseData["body"],
  maxBytes: number,
): Promise<Pick<OutboundAnswer, "body" | "isCut">> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early destroys the body and its connection, which would otherwise continue.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) break;
  }
  const isCut = length > maxBytes;
  return { body: new Uint8Array(Buffer.concat(chunks, Math.min(length, maxBytes))), isCut };
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const cause = { cause: error };
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // If all addresses of a host refuse, the error has an empty message of its own.
  const reason =
    error instanceof AggregateError ? error.errors.map(errorMessage).join("; ") : errorMessage(error);
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    return new OutboundError("timeout", `no connection within ${CONNECT_DEADLINE_MS} ms`, cause);
  }
  // Malformed URL, or a header with a line break.
  if (code === "UND_ERR_INVALID_ARG" || code === "ERR_INVALID_URL" || code === "UND_ERR_NOT_SUPPORTED") {
    return new OutboundError("request", `the request cannot be sent: ${reason}`, cause);
  }
  return new OutboundError("connection", `the connection failed: ${reason}`, cause);
}
