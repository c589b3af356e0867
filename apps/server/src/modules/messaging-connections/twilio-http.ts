import { OutboundError, type OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import { TwilioError } from "./twilio-error.ts";

/** Longer than Twilio usually takes; a send without an answer is looked up afterwards. */
const DEFAULT_DEADLINE_MS = 10_000;

/** Request of the `twilio` library to its HTTP client. */
export interface TwilioRequest {
  method: string;
  uri: string;
  username?: string | undefined;
  password?: string | undefined;
  headers?: object | undefined;
  params?: object | undefined;
  /** Fields of the form. */
  data?: unknown;
}

export interface TwilioHttpOptions {
  outbound: Pick<OutboundClient, "send">;
  /** Replaces Twilio's own hosts. */
  baseUrl: string | undefined;
  signal: AbortSignal;
  /** For each request. Default: 10 s. */
  deadlineMs?: number | undefined;
}

/** Sends the requests of the `twilio` library, with the node's own client: only to Twilio's hosts, within a deadline. */
export class TwilioHttp {
  readonly #options: TwilioHttpOptions;

  constructor(options: TwilioHttpOptions) {
    this.#options = options;
  }

  /** Rejects with a `TwilioError` if there is no answer, and with the signal's reason. */
  async request({ method, uri, username, password, headers, params, data }: TwilioRequest) {
    const { outbound, signal, deadlineMs = DEFAULT_DEADLINE_MS } = this.#options;
    const credentials = Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64");
    try {
      const { status, body } = await outbound.send({
        method: method.toUpperCase() === "POST" ? "POST" : "GET",
        url: this.#locate(uri, params),
        headers: { ...toHeaders(headers), authorization: `Basic ${credentials}` },
        ...(typeof data === "object" && data !== null && { body: toForm(data).toString() }),
        deadlineMs,
        signal,
      });
      return { statusCode: status, body: Buffer.from(body).toString("utf8"), headers: {} };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const kind = isUnsent(error) ? "unreachable" : "uncertain";
      throw new TwilioError(kind, error.message, { cause: error });
    }
  }

  #locate(uri: string, params: object | undefined): string {
    const url = new URL(uri);
    if (url.protocol !== "https:" || !/(^|\.)twilio\.com$/.test(url.hostname))
      throw new TwilioError("refused", `${url.host} is not a host of Twilio`);
    if (params !== undefined)
      for (const [name, value] of toForm(params)) url.searchParams.append(name, value);
    const { baseUrl } = this.#options;
    return baseUrl === undefined ? url.href : `${baseUrl}${url.pathname}${url.search}`;
  }
}

/** Whether Twilio cannot have received the request. */
function isUnsent({ kind, cause }: OutboundError): boolean {
  if (kind === "refused_address" || kind === "request") return true;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ECONNREFUSED" || code === "UND_ERR_CONNECT_TIMEOUT" || code === "ENOTFOUND";
}

/** The library gives values as texts, numbers, booleans and lists, and leaves out absent ones as undefined. */
function toForm(values: object): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const each of [value].flat())
      if (each !== undefined && each !== null) form.append(name, String(each));
  }
  return form;
}

function toHeaders(headers: object = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
