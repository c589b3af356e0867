import type { Twilio as TwilioClient } from "twilio";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import { TwilioError, toTwilioError } from "./twilio-error.ts";
import { TwilioHttp, type TwilioRequest } from "./twilio-http.ts";

export interface TwilioAccount {
  accountSid: string;
  authToken: string;
}

export interface TwilioSending {
  from: string;
  to: string;
  body: string;
  statusCallback: string | undefined;
}

/** A message as Twilio has it. */
export interface TwilioSent {
  sid: string;
  status: string;
  body: string;
  createdAt: Date;
}

/** Messages between two numbers that a lookup reads: more than are sent between them in its period. */
const MAX_LISTED = 100;

export interface TwilioOptions {
  /** Replaces Twilio's own hosts. It may be private, because the operator sets it. */
  baseUrl: string | undefined;
  /** For each request. Default: 10 s. */
  deadlineMs?: number;
}

/** Twilio's API by its official library, which is loaded at its first use. */
export class Twilio {
  readonly #outbound: OutboundClient;
  readonly #closing = new AbortController();
  readonly #http: TwilioHttp;

  constructor({ baseUrl, deadlineMs }: TwilioOptions) {
    this.#outbound = new OutboundClient({ isPrivateAllowed: baseUrl !== undefined });
    const { signal } = this.#closing;
    this.#http = new TwilioHttp({ outbound: this.#outbound, baseUrl, signal, deadlineMs });
  }

  /** Returns the account's name. Throws `TwilioError`: `refused` if the credentials are wrong. */
  async findAccountName(account: TwilioAccount): Promise<string> {
    const { friendlyName } = await this.#ask(account, async (client) => {
      return await client.api.v2010.accounts(account.accountSid).fetch();
    });
    return friendlyName;
  }

  /** Whether the account has this messaging service. Throws `TwilioError`. */
  async hasMessagingService(account: TwilioAccount, messagingServiceSid: string): Promise<boolean> {
    try {
      await this.#ask(account, async (client) => {
        return await client.messaging.v1.services(messagingServiceSid).fetch();
      });
      return true;
    } catch (error) {
      if (error instanceof TwilioError && error.status === 404) return false;
      throw error;
    }
  }

  /** Throws `TwilioError`. */
  async sendMessage(
    account: TwilioAccount & { messagingServiceSid: string | null },
    { statusCallback, ...message }: TwilioSending,
  ): Promise<Pick<TwilioSent, "sid" | "status">> {
    const { messagingServiceSid } = account;
    return await this.#ask(account, async (client) => {
      return await client.messages.create({
        ...message,
        ...(messagingServiceSid !== null && { messagingServiceSid }),
        ...(statusCallback !== undefined && { statusCallback }),
      });
    });
  }

  /** Messages from one number to another, newest first. Throws `TwilioError`. */
  async listMessages(
    account: TwilioAccount,
    { from, to }: Pick<TwilioSending, "from" | "to">,
  ): Promise<TwilioSent[]> {
    const found = await this.#ask(account, async (client) => {
      return await client.messages.list({ from, to, limit: MAX_LISTED });
    });
    return found.map(({ sid, status, body, dateCreated }) => ({ sid, status, body, createdAt: dateCreated }));
  }

  /** Whether Twilio has signed a request to this URL with the account's token. */
  async isSigned(
    { authToken }: TwilioAccount,
    request: { signature: string; url: string; parameters: Readonly<Record<string, string>> },
  ): Promise<boolean> {
    const { default: twilio } = await import("twilio");
    return twilio.validateRequest(authToken, request.signature, request.url, request.parameters);
  }

  async #ask<T>(account: TwilioAccount, ask: (client: TwilioClient) => Promise<T>): Promise<T> {
    const client = await this.#open(account);
    try {
      return await ask(client);
    } catch (error) {
      throw toTwilioError(error);
    }
  }

  async #open({ accountSid, authToken }: TwilioAccount): Promise<TwilioClient> {
    const { default: twilio } = await import("twilio");
    const http = this.#http;
    class HttpClient extends twilio.RequestClient {
      override async request<T>(request: TwilioRequest) {
        const answer = await http.request(request);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library parses the text itself
        return { ...answer, body: answer.body as T };
      }
    }
    return twilio(accountSid, authToken, { httpClient: new HttpClient() });
  }

  /** Aborts running requests. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the node is shutting down"));
    await this.#outbound.close();
  }
}
