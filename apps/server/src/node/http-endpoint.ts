import type { FastifyInstance } from "fastify";
import type { Config } from "../platform/config/config.ts";
import { explainListenError, nameHttpPort } from "./ports.ts";

/** HTTP endpoint of the node. */
export class HttpEndpoint {
  readonly #config: Config["http"];
  #url: string | undefined;

  constructor(config: Config["http"]) {
    this.#config = config;
  }

  /** @throws Error before the endpoint listens. */
  get url(): string {
    if (this.#url === undefined) throw new Error("HTTP does not listen yet");
    return this.#url;
  }

  /** @throws Error for the operator if the port cannot be used. */
  async listen(app: FastifyInstance): Promise<void> {
    const { host, port } = this.#config;
    try {
      await app.listen({ host, port });
    } catch (error) {
      throw explainListenError(error, nameHttpPort(port));
    }
    const address = app.server.address();
    const actualPort = typeof address === "object" && address !== null ? address.port : port;
    this.#url = `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host}:${actualPort}`;
  }
}
