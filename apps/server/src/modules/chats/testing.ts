/** For tests: a platform with a scripted language model, and readers of streams. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { AgentCreation, Conversation, ConversationDetail, ConversationEvent } from "@parley/contract";
import { type ScriptedChatOptions, startScriptedOpenAi } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { read } from "../messages/testing.ts";
import { createTestServer, type TestServer, type TestServerOptions } from "../testing.ts";

/** A stream of server-sent events, read until the test closes it. */
export class EventReader<Event> {
  readonly events: Event[] = [];
  /** Of the last event that had one. */
  lastEventId: string | undefined;
  readonly #response: IncomingMessage;
  readonly #ended: Promise<void>;

  static async open<Event>(url: string, headers: Record<string, string>): Promise<EventReader<Event>> {
    // A connection of its own, which closes with the reader.
    const [response] = (await once(get(url, { headers, agent: false }), "response")) as [IncomingMessage];
    if (response.headers["content-type"] !== "text/event-stream") assert.fail(await text(response));
    return new EventReader<Event>(response);
  }

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.#ended = this.#read(response.setEncoding("utf8")).catch(() => {});
  }

  async #read(response: AsyncIterable<string>): Promise<void> {
    let rest = "";
    for await (const chunk of response) {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    for (const line of block.split("\n")) {
      if (line.startsWith("id: ")) this.lastEventId = line.slice(4);
      if (line.startsWith("data: ")) this.events.push(JSON.parse(line.slice(6)) as Event);
    }
  }

  /** Waits for an event. */
  async find(matches: (event: Event) => boolean, what = "the event"): Promise<Event> {
    await waitFor(what, () => this.events.some(matches));
    return this.events.find(matches) ?? assert.fail();
  }

  /** Resolves when the server has ended the stream. */
  async end(): Promise<void> {
    await this.#ended;
  }

  async close(): Promise<void> {
    this.#response.destroy();
    await this.#ended;
  }
}

export interface ChatPlatform {
  server: TestServer;
  url: string;
  agentId: string;
  /** Writes the replies that no stream waits for. */
  writeDue: () => Promise<void>;
  /** Lets time pass. */
  advance: (ms: number) => void;
  startChat: (body?: object) => Promise<Conversation>;
  send: (id: string, text: string) => Promise<void>;
  stream: (id: string, lastEventId?: string) => Promise<EventReader<ConversationEvent>>;
  transcript: (id: string) => Promise<[string, string][]>;
}

/** A platform whose agent answers by a scripted model. */
export async function startChats(
  t: TestContext,
  model: ScriptedChatOptions,
  agentFields: Partial<AgentCreation> = {},
  options: TestServerOptions = {},
): Promise<ChatPlatform> {
  const scripted = await startScriptedOpenAi(model);
  t.after(async () => await scripted.close());
  let nowMs = Date.now();
  // No two events are at the same time.
  const clock = { now: () => new Date((nowMs += 1)) };
  const languageModelUrl = `${scripted.url}/v1`;
  const server = await createTestServer({ clock, languageModelUrl, ...options });
  t.after(async () => await server.close());
  const url = await server.app.listen({ port: 0, host: "127.0.0.1" });
  const by = { organizationId: server.organizationId, actor: server.actor };
  const agent = await server.modules.agents.create(by, { name: "Ada", ...agentFields });
  return {
    server,
    url,
    agentId: agent.id,
    writeDue: async () => {
      nowMs += 1_000;
      const { chatReplies } = server.modules;
      for (let due = await chatReplies.claimDue(); due !== undefined; due = await chatReplies.claimDue())
        await chatReplies.run(due);
    },
    advance: (ms) => void (nowMs += ms),
    startChat: async (body = {}) =>
      read<Conversation>(await server.request("POST", `/agents/${agent.id}/test-chats`, body), 201),
    send: async (id, text) => {
      read(await server.request("POST", `/conversations/${id}/messages`, { text }), 201);
    },
    stream: async (id, lastEventId) =>
      await EventReader.open(`${url}/v1/conversations/${id}/events`, {
        "x-api-key": server.apiKey,
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      }),
    transcript: async (id) => {
      const found = read<ConversationDetail>(await server.request("GET", `/conversations/${id}`));
      return found.transcript.map(({ type, role, text }) => [role ?? type, text]);
    },
  };
}

/** The message that the parts of a stream make up. */
export function joinParts(events: readonly { type: string }[], messageId: string): string {
  let text = "";
  for (const event of events as readonly Partial<ConversationEvent & { type: "replyPart" }>[])
    if (event.type === "replyPart" && event.messageId === messageId)
      text = text.slice(0, event.offset) + event.text;
  return text;
}
