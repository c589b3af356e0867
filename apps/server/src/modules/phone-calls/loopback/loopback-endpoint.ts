import { randomBytes } from "node:crypto";
import { type IncomingInvite, type MessageTrace, UserAgent } from "@parley/sip";
import type { Logger } from "pino";
import { numberIn } from "../sip-number.ts";

export const LOOPBACK_ADDRESS = "127.0.0.1";
const TOKEN_BYTES = 24;

export interface LoopbackEndpointOptions {
  /** Called for every SIP message. */
  onMessage: ((trace: MessageTrace) => void) | undefined;
  logger: Logger;
}

/** The address of one call to an agent of this node, until it is closed. */
export interface LoopbackRoute extends Disposable {
  /** Contains the routing token. */
  readonly uri: string;
  /** Resolves with the only INVITE that reaches the route. Pending if none does. */
  readonly arrived: Promise<IncomingInvite>;
}

/**
 * SIP between two conversations of this node. It listens on the loopback address only, at a random port, so that no
 * other machine reaches it. An INVITE is accepted only at an open route, whose random token names one call.
 */
export class LoopbackEndpoint {
  readonly #options: LoopbackEndpointOptions;
  readonly #routes = new Map<string, (invite: IncomingInvite) => void>();
  #listening: Promise<UserAgent> | undefined;
  #agent: UserAgent | undefined;
  #isClosed = false;

  constructor(options: LoopbackEndpointOptions) {
    this.#options = options;
  }

  /** Listens from the first call on. Idempotent. */
  async listen(): Promise<void> {
    if (this.#isClosed) throw new Error("the node is closed");
    this.#listening ??= this.#listen();
    this.#agent = await this.#listening;
  }

  /**
   * The user agent of both sides.
   *
   * @throws Error before the endpoint listens.
   */
  get agent(): UserAgent {
    if (this.#agent === undefined) throw new Error("the loopback endpoint does not listen yet");
    return this.#agent;
  }

  /** Opens a route for one call. */
  open(): LoopbackRoute {
    const { port } = this.agent.address;
    const token = randomBytes(TOKEN_BYTES).toString("hex");
    const { promise: arrived, resolve } = Promise.withResolvers<IncomingInvite>();
    this.#routes.set(token, resolve);
    return {
      uri: `sip:${token}@${LOOPBACK_ADDRESS}:${port}`,
      arrived,
      [Symbol.dispose]: () => void this.#routes.delete(token),
    };
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#listening?.catch(() => undefined))?.close();
  }

  async #listen(): Promise<UserAgent> {
    const { onMessage, logger } = this.#options;
    return await UserAgent.listen({
      bind: { address: LOOPBACK_ADDRESS, port: 0 },
      userAgent: "Parley",
      onInvite: (invite) => this.#take(invite),
      ...(onMessage && { onMessage }),
      onError: (error) => logger.error({ err: error }, "SIP of test calls failed"),
      onDropped: (reason) => logger.debug({ reason }, "SIP message of a test call dropped"),
    });
  }

  /** A route takes one INVITE: a second one with its token finds none. */
  #take(invite: IncomingInvite): void {
    const token = numberIn(invite.requestUri) ?? "";
    const take = this.#routes.get(token);
    if (take === undefined) return invite.reject(404);
    this.#routes.delete(token);
    take(invite);
  }
}
