import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import type { CallNodes } from "../nodes/call-nodes.ts";

export type CallsElsewhere = Pick<CallNodes, "findHttpAddress">;

/** Longer than a node takes to answer an offer. */
const DEADLINE_MS = 5_000;
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
  "www-authenticate",
];

/** Passes requests of WHIP on to the node that holds the call. */
export class WhipRelay {
  readonly #nodes: CallsElsewhere;

  constructor(nodes: CallsElsewhere) {
    this.#nodes = nodes;
  }

  /** Throws `not_found` where no other node holds the call, `capacity_exceeded` where it cannot be reached. */
  async pass(callId: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isRelayed = request.headers[RELAYED_HEADER] !== undefined;
    const address = isRelayed ? undefined : await this.#nodes.findHttpAddress(callId);
    if (address === undefined) throw new AppError("not_found");
    const headers = new Headers({ [RELAYED_HEADER]: "true" });
    for (const name of requestHeaders) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const answer = await this.#fetch(new URL(request.url, address), request, headers);
    for (const name of answerHeaders) {
      const value = answer.headers.get(name);
      if (value !== null) reply.header(name, value);
    }
    return await reply.code(answer.status).send(answer.status === 204 ? undefined : await answer.text());
  }

  async #fetch(url: URL, { method, body }: FastifyRequest, headers: Headers): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        headers,
        signal: AbortSignal.timeout(DEADLINE_MS),
        ...(typeof body === "string" && { body }),
      });
    } catch (error) {
      const message = "The node that holds the call does not answer.";
      throw new AppError("capacity_exceeded", { message, cause: error });
    }
  }
}
