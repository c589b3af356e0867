import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { waitFor } from "@parley/testing";
import { fastify } from "fastify";
import type { HTTPRequest, Page } from "puppeteer-core";
import { createTestServer, type TestServer } from "../../apps/server/src/modules/testing.ts";
import { registerReference } from "../../apps/server/src/platform/http/pages/reference.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";

interface Exchange {
  request: HTTPRequest;
  status: number;
  data: unknown;
}

/** The reference page, used as a reader does who tries an operation. */
class ReferencePage {
  readonly #page: Page;
  readonly #exchanges: Promise<Exchange>[] = [];

  constructor(page: Page, apiUrl: string) {
    this.#page = page;
    page.on("response", (response) => {
      if (!response.url().startsWith(apiUrl)) return;
      const read = async (): Promise<Exchange> => {
        const { data } = JSON.parse(await response.text()) as { data?: unknown };
        return { request: response.request(), status: response.status(), data };
      };
      this.#exchanges.push(read());
    });
  }

  /** Enters the key once, for all operations. */
  async authenticate(apiKey: string): Promise<void> {
    // The placeholder is Base64, which no reader takes for a key.
    const field = await this.#page.waitForSelector("input[placeholder^='QUxMIFl']");
    await field?.type(apiKey);
  }

  /** Opens "Test Request" of an operation, edits its body if one is given, and sends it. */
  async send(hash: string, operation: string, body?: object): Promise<Exchange> {
    const before = this.#exchanges.length;
    await this.#page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await this.#press(`contains(., 'Test Request') and contains(., '(${operation})')`);
    if (body !== undefined) await this.#edit(JSON.stringify(body));
    const [method = ""] = operation.split(" ");
    await this.#press(`contains(., 'Send ${method} request')`);
    await waitFor("the answer", () => this.#exchanges.length > before, 20_000);
    const exchange = (await this.#exchanges.at(-1)) ?? assert.fail("no answer");
    await this.#press("contains(., 'Close Client')");
    return exchange;
  }

  async #press(condition: string): Promise<void> {
    const button = await this.#page.waitForSelector(`xpath///button[${condition}]`, { timeout: 20_000 });
    // The page moves its buttons while it loads, so they are clicked where they are.
    await button?.evaluate((element) => (element as unknown as { click: () => void }).click());
  }

  async #edit(text: string): Promise<void> {
    const editor = await this.#page.waitForSelector("[role=dialog] .cm-content[contenteditable=true]");
    await editor?.click();
    await this.#page.keyboard.down("Control");
    await this.#page.keyboard.press("a");
    await this.#page.keyboard.up("Control");
    await this.#page.keyboard.sendCharacter(text);
  }
}

/** The page and the API at one address, as a node serves them. The node's processes for calls are not needed. */
async function start(context: TestContext): Promise<{ server: TestServer; url: string }> {
  const server = await createTestServer();
  const app = fastify();
  registerReference(app);
  app.all("/v1/*", async ({ method, url, headers, body }, reply) => {
    const payload = body === undefined || body === null ? {} : { payload: JSON.stringify(body) };
    const { "content-length": _length, ...sent } = headers;
    const answer = await server.app.inject({ method: method as "GET", url, headers: sent, ...payload });
    return await reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload);
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  context.after(async () => {
    await app.close();
    await server.close();
  });
  return { server, url };
}

test(
  "the reference page creates an agent, lists calls and places one as shown, and repeats no answer",
  { skip: skipWithoutChromium },
  async (context) => {
    const { server, url } = await start(context);
    const { modules, organizationId } = server;
    const trunk = { friendlyName: "Trunk", proxyAddress: "127.0.0.1" };
    const { id: sipTrunkId } = await modules.sipTrunks.create(organizationId, trunk);
    const { id: agentId } = await modules.agents.create(server, { name: "Ada", sipTrunkId });
    await modules.phoneNumbers.add(server, agentId, { e164: "+14155550123" });
    const chromium = await Chromium.launch();
    context.after(async () => await chromium.close());
    const { page, problems } = await chromium.open(`${url}/reference/`);
    const reference = new ReferencePage(page, `${url}/v1/`);
    await reference.authenticate(server.apiKey);
    const created: unknown[] = [];
    for (let time = 0; time < 2; time++) {
      const { request, status, data } = await reference.send("tag/agents/POST/agents", "post /agents");
      assert.equal(status, 201);
      assert.deepEqual(JSON.parse(request.postData() ?? ""), { name: "Front desk" });
      assert.equal(request.headers()["idempotency-key"], undefined);
      created.push((data as { id: string }).id);
    }
    assert.notEqual(created[0], created[1]);
    const list = await reference.send("tag/calls/GET/calls", "get /calls");
    assert.deepEqual([list.status, list.data], [200, []]);
    const call = { agentId, toNumber: "+14155550199" };
    const placed = await reference.send("tag/calls/POST/calls", "post /calls", call);
    assert.deepEqual(JSON.parse(placed.request.postData() ?? ""), call);
    assert.deepEqual([placed.status, (placed.data as { status: string }).status], [201, "queued"]);
    assert.deepEqual(problems, []);
  },
);
