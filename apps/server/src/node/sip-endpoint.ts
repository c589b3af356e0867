import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { errorMessage } from "@parley/conversation/error-message";
import { type TlsClientOptions, type TlsOptions, UserAgent, type UserAgentOptions } from "@parley/sip";
import type { Logger } from "pino";
import type { Config } from "../platform/config/config.ts";
import { everyAddress } from "../platform/machine/ports.ts";
import { explainListenError, namePort } from "./ports.ts";

type SipTls = TlsClientOptions | (TlsOptions & { port: number });

/** Handlers of incoming requests. */
export type SipHandlers = Pick<
  UserAgentOptions,
  "onInvite" | "screenInvite" | "mayReject" | "onMessage" | "onOptions"
>;

/** SIP endpoint of the node: features receive it before it listens, and use its agent afterwards. */
export class SipEndpoint {
  readonly tls: SipTls;
  readonly #config: Pick<Config, "sip" | "publicAddress">;
  readonly #logger: Logger;
  #agent: UserAgent | undefined;

  private constructor(config: Pick<Config, "sip" | "publicAddress">, tls: SipTls, logger: Logger) {
    this.#config = config;
    this.tls = tls;
    this.#logger = logger;
  }

  /** @throws Error for the operator if the certificate cannot be used. */
  static async create(config: Pick<Config, "sip" | "publicAddress">, logger: Logger): Promise<SipEndpoint> {
    return new SipEndpoint(config, await readSipTls(config.sip.tls), logger);
  }

  /** @throws Error before the endpoint listens. */
  get agent(): UserAgent {
    if (this.#agent === undefined) throw new Error("SIP does not listen yet");
    return this.#agent;
  }

  /** Number of open transactions. */
  get transactionCount(): number {
    return this.#agent?.counts.transactions ?? 0;
  }

  /** @throws Error for the operator if a port cannot be used. */
  async listen(handlers: SipHandlers): Promise<void> {
    const { sip, publicAddress } = this.#config;
    const logger = this.#logger;
    try {
      this.#agent = await UserAgent.listen({
        ...handlers,
        bind: everyAddress(sip.port),
        tls: this.tls,
        ...(publicAddress !== undefined && { publicAddress }),
        userAgent: "Parley",
        onError: (error) => logger.error({ err: error }, "SIP failed"),
        onDropped: (reason) => logger.debug({ reason }, "SIP message dropped"),
      });
    } catch (error) {
      throw explainListenError(error, namePort(error, sip));
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#agent?.close();
  }
}

async function readSipTls({
  authoritiesPath,
  allowsWildcards,
  server,
}: Config["sip"]["tls"]): Promise<SipTls> {
  const peers = {
    allowsWildcards,
    ...(authoritiesPath === undefined
      ? {}
      : { authorities: await readPem(authoritiesPath, "PARLEY_SIP_TLS_CA") }),
  };
  if (server === undefined) return peers;
  const { certificatePath, keyPath, ...rest } = server;
  const options = {
    ...peers,
    ...rest,
    certificate: await readPem(certificatePath, "PARLEY_SIP_TLS_CERT"),
    privateKey: await readPem(keyPath, "PARLEY_SIP_TLS_KEY"),
  };
  try {
    createSecureContext({ cert: options.certificate, key: options.privateKey });
  } catch (error) {
    const message = errorMessage(error);
    throw new Error(
      `PARLEY_SIP_TLS_CERT and PARLEY_SIP_TLS_KEY are not a valid certificate and key: ${message}`,
      { cause: error },
    );
  }
  return options;
}

async function readPem(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = errorMessage(error);
    throw new Error(`${variable} cannot be read: ${message}`, { cause: error });
  }
}
