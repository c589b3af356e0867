import { Agent, type Dispatcher, request as sendRequest } from "undici";
import { AppError } from "../../platform/app-error.ts";
import { forbidInTransaction } from "../../platform/database/transaction-scope.ts";
import type { RelayProofs } from "./relay-proofs.ts";

/** A WHIP request with a valid token for a call of another node. */
export interface RelayedRequest {
  method: Dispatcher.HttpMethod;
  /** Built from the route and the call's id, never from the client's path. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

export interface RelayedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Longer than a node needs to answer an offer. */
const DEADLINE_MS = 5_000;
/** An SDP answer has a few KiB. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Contains the proof of a relayed request, which is not relayed again. */
export const RELAYED_HEADER = "x-parley-relayed";
/** The call's token is not among them: the proof takes its place. */
const requestHeaders = ["content-type", "if-match"];
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

/** Relays WHIP requests to the call's node. The creator closes it. */
export class WhipRelay {
  readonly #proofs: RelayProofs;
  readonly #deadlineMs: number;
  readonly #closing = new AbortController();
  readonly #agent = new Agent({
    connect: { signal: this.#closing.signal },
    maxResponseSize: MAX_ANSWER_BYTES,
    // Disabled: the request has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  /** @param deadlineMs From the request to the last byte of the response. */
  constructor(proofs: RelayProofs, deadlineMs = DEADLINE_MS) {
    this.#proofs = proofs;
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Throws `not_found` if the request was relayed before or `findAddress` finds no other node, and
   * `capacity_exceeded` if that node gives no WHIP response: a timeout, more than 64 KiB, a redirect.
   *
   * @param findAddress Returns the HTTP origin of the call's node.
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

  /** Aborts all requests in progress. Idempotent. */
  async close(): Promise<void> {
    // `destroy` alone leaves a connection that is being set up open until its timeout.
    this.#closing.abort();
    await this.#agent.destroy();
  }

  async #exchange(origin: string, { method, path, headers, body }: RelayedRequest): Promise<RelayedAnswer> {
    const proof = this.#proofs.issue({ method, path, headers }, body);
    const answer = await sendRequest(new URL(path, origin), {
      dispatcher: this.#agent,
      method,
      headers: { ...pick(headers, requestHeaders), [RELAYED_HEADER]: proof },
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
