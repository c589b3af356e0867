/** A server with people who use it by browser, for tests. */
import { createHmac } from "node:crypto";
import type { CurrentSession, MemberRole } from "@parley/contract";
import { createTestServer, type TestServer, type TestServerOptions } from "../testing.ts";
import { insertMember } from "./identity.store.ts";

export const PASSWORD = "correct horse battery";

interface BrowserAnswer {
  status: number;
  headers: Record<string, unknown>;
  setCookies: string[];
  body: unknown;
}

/** Keeps cookies, and sends the origin with writes. */
export class TestBrowser {
  readonly #server: TestServer;
  readonly #origin: string;
  readonly #remoteAddress: string;
  readonly #userAgent: string;
  readonly #cookies = new Map<string, string>();

  constructor(
    server: TestServer,
    origin: string,
    { remoteAddress = "192.0.2.1", userAgent = "Test/1.0", cookie = "" } = {},
  ) {
    this.#server = server;
    this.#origin = origin;
    this.#remoteAddress = remoteAddress;
    this.#userAgent = userAgent;
    if (cookie !== "")
      this.#cookies.set(cookie.split("=", 1)[0] ?? "", cookie.slice(cookie.indexOf("=") + 1));
  }

  /** The session's cookie, or an empty text. */
  cookie(): string {
    const [session] = [...this.#cookies].filter(([name]) => name.endsWith("session_token"));
    return session === undefined ? "" : session.join("=");
  }

  async send(
    method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
    url: string,
    body?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<BrowserAnswer> {
    const cookie = [...this.#cookies].map((each) => each.join("=")).join("; ");
    const all = {
      "user-agent": this.#userAgent,
      ...(cookie !== "" && { cookie }),
      ...(method !== "GET" && { origin: this.#origin }),
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const answer = await this.#server.app.inject({
      method,
      url,
      remoteAddress: this.#remoteAddress,
      headers: Object.fromEntries(given),
      ...(body !== undefined && { payload: body as object }),
    });
    const setCookies = [answer.headers["set-cookie"] ?? []].flat();
    for (const each of setCookies) this.#keep(each);
    const isJson = String(answer.headers["content-type"]).startsWith("application/json");
    return {
      status: answer.statusCode,
      headers: answer.headers,
      setCookies,
      body: isJson ? (JSON.parse(answer.body) as unknown) : answer.body,
    };
  }

  #keep(setCookie: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
    if (/max-age=0/i.test(setCookie)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

export async function openIdentity(options: TestServerOptions = {}) {
  const server = await createTestServer(options);
  return { ...identityOf(server, options.publicUrl), close: async () => await server.close() };
}

/** People who use this server by browser. */
export function identityOf(server: TestServer, origin = "http://localhost") {
  const browse = (settings?: ConstructorParameters<typeof TestBrowser>[2]) =>
    new TestBrowser(server, origin, settings);
  return {
    server,
    browse,
    /** Signs the owner of the server's organization up. */
    signUp: async (email = "ada@example.com") => {
      const browser = browse();
      const token = await server.modules.ownerSignUp.createToken();
      const person = { token, name: "Ada", email, password: PASSWORD };
      const { setCookies } = await browser.send("POST", "/auth/sign-up", person);
      const { data } = (await browser.send("GET", "/auth/session")).body as { data: CurrentSession };
      return {
        browser,
        email,
        setCookies,
        userId: data.user.id,
        credentials: { email, password: PASSWORD },
      };
    },
    join: async (userId: string, organizationId: string, role: MemberRole) =>
      await insertMember(server.database, { organizationId, userId, role }),
  };
}

/** Code of an authenticator app (RFC 6238) with this `otpauth://` URI: the current one, or one of the steps after it. */
export function totpOf(uri: string, stepsAhead = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsAhead));
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  const hash = createHmac("sha1", decodeBase32(secret)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, "0");
}

/** RFC 4648 §6, without padding. */
function decodeBase32(text: string): Buffer {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
