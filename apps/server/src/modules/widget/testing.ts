/** For tests: a platform whose agent has a widget, and pages that show it. */
import { createHmac, randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { AgentCreation, WidgetChat, WidgetEvent, WidgetSession } from "@parley/contract";
import type { ScriptedChatOptions } from "@parley/providers/testing";
import { EventReader, startChats } from "../chats/testing.ts";
import { read } from "../messages/testing.ts";
import type { TestResponse, TestServerOptions } from "../testing.ts";

export const PAGE = "https://shop.example";

let addresses = 0;

/** A page of an origin with a session of its visitor. */
export class TestPage {
  token = "";
  /** Each page has its own address, unless a test gives them the same. */
  address = `10.1.${(addresses >> 8) & 255}.${addresses++ & 255}`;
  readonly #platform: WidgetPlatform;
  readonly #origin: string | undefined;

  constructor(platform: WidgetPlatform, origin: string | undefined) {
    this.#platform = platform;
    this.#origin = origin;
  }

  get #headers(): Record<string, string> {
    return {
      ...(this.#origin !== undefined && { origin: this.#origin }),
      ...(this.token !== "" && { authorization: `Bearer ${this.token}` }),
    };
  }

  async request(
    method: "GET" | "POST" | "OPTIONS",
    path: string,
    body?: object,
    moreHeaders: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const { server, widgetKey } = this.#platform;
    const response = await server.app.inject({
      method,
      url: `/widget/${widgetKey}${path}`,
      remoteAddress: this.address,
      headers: {
        ...this.#headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...moreHeaders,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const { statusCode: status, headers } = response;
    return { status, headers, body: response.body === "" ? undefined : JSON.parse(response.body) };
  }

  /** Starts or renews the session. */
  async start(body: object = {}): Promise<WidgetSession> {
    const session = read<WidgetSession>(await this.request("POST", "/sessions", body), 201);
    this.token = session.sessionToken;
    return session;
  }

  async send(text: string, id: string = randomUUID()): Promise<TestResponse> {
    return await this.request("POST", "/chat/messages", { id, text });
  }

  async chat(): Promise<WidgetChat> {
    return read<WidgetChat>(await this.request("GET", "/chat"));
  }

  async stream(lastEventId?: string): Promise<EventReader<WidgetEvent>> {
    const { url, widgetKey } = this.#platform;
    return await EventReader.open(`${url}/widget/${widgetKey}/chat/events`, {
      ...this.#headers,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    });
  }
}

export type WidgetPlatform = Awaited<ReturnType<typeof startWidget>>;

export async function startWidget(
  t: TestContext,
  model: ScriptedChatOptions,
  { widgetConfig, ...agentFields }: Partial<AgentCreation> = {},
  options: TestServerOptions = {},
) {
  const config = { ...widgetConfig, enabled: true };
  const chats = await startChats(t, model, { ...agentFields, widgetConfig: config }, options);
  const agent = await chats.server.modules.agents.get(chats.server.organizationId, chats.agentId);
  return {
    ...chats,
    widgetKey: agent.widgetKey,
    change: async (body: object): Promise<void> => {
      read(await chats.server.request("PATCH", `/agents/${chats.agentId}`, body));
    },
  };
}

/** A JWT with HMAC-SHA256. */
export function signUser(
  secret: string,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = { alg: "HS256", typ: "JWT" },
): string {
  const [head, payload] = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const signature = createHmac("sha256", secret).update(`${head}.${payload}`).digest("base64url");
  return `${head}.${payload}.${signature}`;
}
