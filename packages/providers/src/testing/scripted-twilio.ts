import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { ScriptedHost, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedTwilioOptions {
  /** Other credentials are refused. */
  accountSid?: string;
  authToken?: string;
  accountName?: string;
  /** Messaging services of the account. */
  messagingServiceSids?: readonly string[];
}

/** A message as Twilio stores it. */
export interface TwilioMessage {
  sid: string;
  from: string;
  to: string;
  body: string;
  messagingServiceSid: string | undefined;
  statusCallback: string | undefined;
  status: string;
  createdAt: Date;
}

/** An operation of the API. */
export type TwilioOperation = "account" | "service" | "send" | "list";

/** What happens to a request instead of its normal answer. */
export type TwilioFault =
  | { type: "error"; status: number; code: number; message: string }
  /** Answers normally, later. */
  | { type: "delay"; ms: number }
  /** Answers normally after this. */
  | { type: "overtaken"; by: () => Promise<unknown> }
  /** Closes the connection, after the operation had its effect or before. */
  | { type: "cut"; hasEffect: boolean }
  /** Never answers, after the operation had its effect or before. */
  | { type: "hang"; hasEffect: boolean };

interface TwilioRequest {
  operation: TwilioOperation;
  parameters: URLSearchParams;
}

/** Answer of an API operation. */
interface Answer {
  status: number;
  body: object;
}

/** Answer of a hook to a request of Twilio's. */
export interface HookAnswer {
  status: number;
  contentType: string | null;
  body: string;
}

const API = "/2010-04-01/Accounts";
const MAX_BODY_CHARACTERS = 1600;

export const SCRIPTED_ACCOUNT = {
  accountSid: `AC${"a".repeat(32)}`,
  authToken: "scripted-auth-token",
} as const;

/**
 * A server that speaks Twilio's wire format: the REST API for accounts, messaging services and messages (form bodies,
 * basic authentication, error codes), and Twilio's signed requests to hooks.
 */
export class ScriptedTwilio {
  /** Messages that clients have sent, oldest first. */
  readonly messages: TwilioMessage[] = [];
  /** Requests, oldest first. */
  readonly requests: TwilioRequest[] = [];
  /** Chooses the fault of a request; by default there is none. */
  fault: (request: TwilioRequest, index: number) => TwilioFault | undefined = () => undefined;
  /** Address at which a hook is called; signatures are those of the URL itself, as behind a load balancer. */
  locate: (url: string) => string = (url) => url;
  readonly accountSid: string;
  readonly #authToken: string;
  readonly #accountName: string;
  readonly #messagingServiceSids: readonly string[];
  readonly #host = new ScriptedHost((request, response) => void this.#serve(request, response));
  #server: ScriptedServer | undefined;

  static async start(options: ScriptedTwilioOptions = {}): Promise<ScriptedTwilio> {
    const twilio = new ScriptedTwilio(options);
    twilio.#server = await twilio.#host.start();
    return twilio;
  }

  private constructor({
    accountSid = SCRIPTED_ACCOUNT.accountSid,
    authToken = SCRIPTED_ACCOUNT.authToken,
    accountName = "Scripted account",
    messagingServiceSids = [],
  }: ScriptedTwilioOptions) {
    this.accountSid = accountSid;
    this.#authToken = authToken;
    this.#accountName = accountName;
    this.#messagingServiceSids = messagingServiceSids;
  }

  get url(): string {
    if (this.#server === undefined) throw new Error("the server does not listen");
    return this.#server.url;
  }

  get openConnections(): number {
    return this.#host.stats.openConnections;
  }

  /** Sends a request to a hook, signed as Twilio does: the URL, then the sorted parameters, HMAC-SHA1. */
  async callHook(
    url: string,
    parameters: Readonly<Record<string, string>>,
    { authToken = this.#authToken } = {},
  ): Promise<HookAnswer> {
    const content = Object.keys(parameters)
      .sort()
      .reduce((signed, name) => signed + name + (parameters[name] ?? ""), url);
    const signature = createHmac("sha1", authToken).update(content).digest("base64");
    const response = await fetch(this.locate(url), {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
        "x-twilio-signature": signature,
      },
      body: new URLSearchParams(parameters),
    });
    const contentType = response.headers.get("content-type");
    return { status: response.status, contentType, body: await response.text() };
  }

  /** Delivers an incoming message to a hook. `sid` repeats an earlier one. */
  async deliver(
    url: string,
    message: { from: string; to: string; body: string; sid?: string; parameters?: Record<string, string> },
  ): Promise<HookAnswer> {
    const { from, to, body, sid = createSid("SM"), parameters } = message;
    return await this.callHook(url, {
      ToCountry: "US",
      SmsMessageSid: sid,
      SmsSid: sid,
      MessageSid: sid,
      AccountSid: this.accountSid,
      From: from,
      To: to,
      Body: body,
      SmsStatus: "received",
      NumSegments: "1",
      NumMedia: "0",
      ApiVersion: "2010-04-01",
      ...parameters,
    });
  }

  /** Reports a message's status to its callback. */
  async report(message: TwilioMessage, status: string, errorCode?: number): Promise<HookAnswer | undefined> {
    message.status = status;
    if (message.statusCallback === undefined) return undefined;
    return await this.callHook(message.statusCallback, {
      ApiVersion: "2010-04-01",
      MessageStatus: status,
      SmsStatus: status,
      SmsSid: message.sid,
      MessageSid: message.sid,
      AccountSid: this.accountSid,
      From: message.from,
      To: message.to,
      ...(errorCode !== undefined && { ErrorCode: String(errorCode) }),
    });
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://twilio");
    const body = await text(request);
    const parameters = request.method === "POST" ? new URLSearchParams(body) : url.searchParams;
    const operation = operationOf(request.method ?? "", url.pathname);
    if (operation === undefined) return send(response, notFound(url.pathname));
    if (!this.#isAuthorized(request, url.pathname)) return send(response, UNAUTHORIZED);
    const received = { operation, parameters };
    this.requests.push(received);
    const fault = this.fault(received, this.requests.length - 1);
    if (fault?.type === "error") return send(response, toError(fault));
    if (fault?.type === "delay" && !(await this.#host.wait(fault.ms))) return;
    const isSwallowed = fault?.type === "cut" || fault?.type === "hang";
    const answer =
      isSwallowed && !fault.hasEffect ? undefined : this.#answer(operation, parameters, url.pathname);
    if (fault?.type === "cut") return void request.socket.destroy();
    if (fault?.type === "overtaken") await fault.by();
    if (fault?.type !== "hang" && answer !== undefined) send(response, answer);
  }

  #isAuthorized({ headers }: IncomingMessage, path: string): boolean {
    const credentials = Buffer.from(`${this.accountSid}:${this.#authToken}`).toString("base64");
    const isOwnPath = !path.startsWith(API) || path.startsWith(`${API}/${this.accountSid}`);
    return isOwnPath && headers.authorization === `Basic ${credentials}`;
  }

  #answer(operation: TwilioOperation, parameters: URLSearchParams, path: string): Answer {
    switch (operation) {
      case "account":
        return {
          status: 200,
          body: { sid: this.accountSid, friendly_name: this.#accountName, status: "active", type: "Full" },
        };
      case "service": {
        const sid = path.split("/").at(-1) ?? "";
        const isKnown = this.#messagingServiceSids.includes(sid);
        return isKnown ? { status: 200, body: { sid, account_sid: this.accountSid } } : notFound(path);
      }
      case "send":
        return this.#send(parameters);
      case "list":
        return { status: 200, body: this.#list(parameters) };
    }
  }

  #send(parameters: URLSearchParams): Answer {
    const read = (name: string): string => parameters.get(name) ?? "";
    const refuse = (code: number, message: string): Answer =>
      toError({ type: "error", status: 400, code, message });
    if (read("To") === "") return refuse(21604, "A 'To' phone number is required.");
    if (read("From") === "" && read("MessagingServiceSid") === "")
      return refuse(21603, "A 'From' phone number is required.");
    if (read("Body") === "") return refuse(21602, "Message body is required.");
    if (read("Body").length > MAX_BODY_CHARACTERS)
      return refuse(21617, "The concatenated message body exceeds the 1600 character limit");
    const message: TwilioMessage = {
      sid: createSid("SM"),
      from: read("From"),
      to: read("To"),
      body: read("Body"),
      messagingServiceSid: parameters.get("MessagingServiceSid") ?? undefined,
      statusCallback: parameters.get("StatusCallback") ?? undefined,
      status: "queued",
      createdAt: new Date(),
    };
    this.messages.push(message);
    return { status: 201, body: this.#present(message) };
  }

  /** Newest first, as Twilio lists messages. */
  #list(parameters: URLSearchParams): object {
    const [to, from] = [parameters.get("To"), parameters.get("From")];
    const found = this.messages.filter(
      (message) => (to === null || message.to === to) && (from === null || message.from === from),
    );
    const pageSize = Number(parameters.get("PageSize") ?? 50);
    return {
      page: 0,
      page_size: pageSize,
      next_page_uri: null,
      messages: found
        .toReversed()
        .slice(0, pageSize)
        .map((message) => this.#present(message)),
    };
  }

  #present({ sid, from, to, body, messagingServiceSid, status, createdAt }: TwilioMessage): object {
    return {
      sid,
      account_sid: this.accountSid,
      api_version: "2010-04-01",
      direction: "outbound-api",
      from,
      to,
      body,
      messaging_service_sid: messagingServiceSid ?? null,
      status,
      num_segments: "1",
      num_media: "0",
      date_created: toRfc2822(createdAt),
      date_updated: toRfc2822(createdAt),
      date_sent: null,
      error_code: null,
      error_message: null,
    };
  }
}

const UNAUTHORIZED = toError({
  type: "error",
  status: 401,
  code: 20003,
  message: "Authentication Error - invalid username",
});

function operationOf(method: string, path: string): TwilioOperation | undefined {
  if (method === "GET" && /^\/2010-04-01\/Accounts\/AC\w+\.json$/.test(path)) return "account";
  if (method === "GET" && /^\/v1\/Services\/MG\w+$/.test(path)) return "service";
  if (!/^\/2010-04-01\/Accounts\/AC\w+\/Messages\.json$/.test(path)) return undefined;
  return method === "POST" ? "send" : "list";
}

function notFound(path: string): Answer {
  const message = `The requested resource ${path} was not found`;
  return toError({ type: "error", status: 404, code: 20404, message });
}

function toError({ status, code, message }: TwilioFault & { type: "error" }): Answer {
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function createSid(prefix: "SM" | "MM"): string {
  return prefix + randomBytes(16).toString("hex");
}

/** `Sun, 22 Nov 2026 09:30:00 +0000`. */
function toRfc2822(date: Date): string {
  return date.toUTCString().replace("GMT", "+0000");
}
