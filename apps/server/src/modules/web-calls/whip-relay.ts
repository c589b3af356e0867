import { Agent, type Dispatcher, request as sendRequest } from "undici";
import { AppError } from "../../platform/app-error.ts";
import { forbidInTransaction } from "../../platform/database/transaction-scope.ts";

/** A request to WHIP whose token is right, for a call that this node does not hold. */
export interface RelayedRequest {
  method: Dispatcher.HttpMethod;
  /** Built of the route and the call's id; never what the client wrote. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

export interface RelayedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Longer than a node takes to answer an offer. */
const DEADLINE_MS = 5_000;
/** An answer is an SDP of some KiB. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** A request that bears it has been passed on: it goes no further. */
const RELAYED_HEADER = "x-parley-relayed";
const requestHeaders = ["authorization", "content-type", "if-match"];
const answerHeaders = [
  "content-type",
  "location",
  "etag",
  "link",
  "allow",
  "accept-patch",
  "retry-after",
  "www-authenticate",
];

/** Passes requests of WHIP on to the node that holds the call. Its owner closes it. */
export class WhipRelay {
  readonly #deadlineMs: number;
  readonly #closing = new AbortController();
  readonly #agent = new Agent({
    connect: { signal: this.#closing.signal },
    maxResponseSize: MAX_ANSWER_BYTES,
    // The request's own deadline counts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  /** @param deadlineMs From the request to the last byte of the answer. */
  constructor(deadlineMs = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Throws `not_found` if the request was passed on before, or `findAddress` finds no other node; `capacity_exceeded` if that
   * node gives no answer of WHIP: none in time, one above 64 KiB, a redirect.
   *
   * @param findAddress Origin of the node that holds the call.
   */
  async pass(
    request: RelayedRequest,
    findAddress: () => Promise<string | undefined>,
  ): Promise<RelayedAnswer> {
    forbidInTransaction("the node that holds a call");
    const isRelayed = request.headers[RELAYED_HEADER] !== undefined;
    const address = isRelayed ? undefined : await findAddress();
    if (address === undefined) throw new AppError("not_found");
    try {
      return await this.#exchange(address, request);
    } catch (error) {
      const message = "The node of this call does not answer. Retry later.";
      throw new AppError("capacity_exceeded", { message, cause: error });
    }
  }

  /** Aborts what is under way. Idempotent. */
  async close(): Promise<void> {
    // `destroy` alone leaves a connection that is being set up open until its timeout.
    this.#closing.abort();
    await this.#agent.destroy();
  }

  async #exchange(origin: string, { method, path, headers, body }: RelayedRequest): Promise<RelayedAnswer> {
    const answer = await sendRequest(new URL(path, origin), {
      dispatcher: this.#agent,
      method,
      headers: { ...pick(headers, requestHeaders), [RELAYED_HEADER]: "true" },
      ...(typeof body === "string" && { body }),
      signal: AbortSignal.timeout(this.#deadlineMs),
    });
    const text = await answer.body.text();
    const { statusCode: status } = answer;
    if (status >= 300 && status < 400) throw new Error(`answered ${status}`);
    return { status, headers: pick(answer.headers, answerHeaders), body: text };
  }
}

function pick(headers: RelayedRequest["headers"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}
