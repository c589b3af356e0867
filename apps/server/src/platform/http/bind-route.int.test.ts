import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import test from "node:test";
import { closedObject, dataOf, defineRoute, MAX_JSON_VALUES, type RouteDefinition } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { Type } from "typebox";
import { systemClock } from "../clock.ts";
import { createTestDatabase } from "../database/testing.ts";
import { Encryption } from "../encryption/encryption.ts";
import { Idempotency } from "../idempotency/idempotency.ts";
import { createLogger } from "../logging/logging.ts";
import { RateLimiter } from "../rate-limit/rate-limiter.ts";
import { bindRoute } from "./bind-route.ts";
import { createHttpServer } from "./http-server.ts";

const MIB = 1024 * 1024;

/** Starts a server with one route, which accepts a text; every key belongs to an organization. */
async function serve(
  limits: Pick<RouteDefinition, "rateLimit" | "bodyLimitBytes">,
  handling: (text: string) => Promise<void> = async () => {},
) {
  const { database, close } = await createTestDatabase();
  const clock = { now: new Date("2026-11-21T09:00:00Z") };
  const organizationId = randomUUID();
  const app = await createHttpServer({
    logger: createLogger({ level: "silent" }),
    authenticate: async (key) => ({
      organizationId: key === "own" ? organizationId : randomUUID(),
      isBillingActive: true,
      role: "admin",
      actor: { type: "api_key", name: "test" },
      actorId: randomUUID(),
    }),
    idempotency: new Idempotency(database, new Encryption(randomBytes(32)), systemClock),
    rateLimiter: new RateLimiter(database, { now: () => clock.now }, async () =>
      assert.fail("this limit is a number"),
    ),
    findLimits: async () => ({ concurrentRequests: 2, requestsPerSecond: 1_000 }),
    limits: { refusalPauseMs: 0 },
  });
  const route = defineRoute({
    method: "POST",
    path: "/texts",
    operationId: "createText",
    tag: "Texts",
    summary: "Create a text",
    body: closedObject({ text: Type.String() }),
    status: 201,
    response: dataOf(Type.Object({ length: Type.Integer() })),
    ...limits,
  });
  bindRoute(app, route, async ({ body }) => {
    await handling(body.text);
    return { data: { length: body.text.length } };
  });
  await app.ready();
  let listening: Promise<string> | undefined;
  return {
    clock,
    /** Listens on a port from the first use on. */
    url: async () => await (listening ??= app.listen({ host: "127.0.0.1", port: 0 })),
    send: async (text: unknown, apiKey = "own", idempotencyKey?: string) =>
      await app.inject({
        method: "POST",
        url: "/v1/texts",
        headers: {
          "x-api-key": apiKey,
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        },
        payload: { text },
      }),
    close: async () => {
      await app.close();
      await close();
    },
  };
}

test("an organization's requests beyond its limit wait, further ones get 429, and others are served", async () => {
  const open = Promise.withResolvers<void>();
  let begun = 0;
  const { send, close } = await serve({}, async (text) => {
    begun += 1;
    if (text === "slow") await open.promise;
  });
  const slow = Array.from({ length: 2 }, async () => await send("slow"));
  await waitFor("both to run", () => begun === 2);
  const others = Array.from({ length: 21 }, async () => await send("quick"));
  const refused = await Promise.any(
    others.map(async (each) => {
      const answer = await each;
      return answer.statusCode === 429 ? answer : await Promise.reject(new Error("it was accepted"));
    }),
  );
  assert.deepEqual([refused.json().error, refused.headers["retry-after"]], ["rate_limited", "1"]);
  assert.match(refused.json().message, /concurrentRequests/);
  assert.equal((await send("quick", "other")).statusCode, 201);
  open.resolve();
  const answers = await Promise.all([...slow, ...others]);
  assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 22);
  assert.equal((await send("quick")).statusCode, 201);
  await close();
});

test("a request whose client has gone while it waited is not handled, and its place goes to the next", async () => {
  const open = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { send, url, close } = await serve({}, async (text) => {
    begun.push(text);
    if (text === "slow") await open.promise;
  });
  const slow = [send("slow"), send("slow")];
  await waitFor("both to run", () => begun.length === 2);
  const gone = new AbortController();
  const headers = { "x-api-key": "own", "content-type": "application/json" };
  const asks = Array.from({ length: 20 }, async () => {
    const body = JSON.stringify({ text: "of a client that has gone" });
    return await fetch(`${await url()}/v1/texts`, { method: "POST", headers, body, signal: gone.signal });
  });
  const isFull = async (): Promise<boolean> =>
    (await fetch(`${await url()}/v1/texts`, { method: "POST", headers, body: "{}" })).status === 429;
  await waitFor("all to wait", isFull);
  gone.abort();
  await Promise.allSettled(asks);
  await waitFor("the queue to be empty", async () => !(await isFull()));
  open.resolve();
  await Promise.all(slow);
  assert.equal((await send("quick")).statusCode, 201);
  assert.deepEqual(begun, ["slow", "slow", "quick"]);
  await close();
});

test("a request that fails gives its place back", async () => {
  const { send, close } = await serve({}, async () => await Promise.reject(new Error("broken")));
  for (let count = 0; count < 50; count += 1) assert.equal((await send("any")).statusCode, 500);
  assert.equal((await send(7)).statusCode, 400);
  await close();
});

test("a route accepts bodies up to its limit", async () => {
  const { send, close } = await serve({ bodyLimitBytes: 3 * MIB });
  assert.equal((await send("x".repeat(2 * MIB))).statusCode, 201);
  const refused = await send("x".repeat(3 * MIB));
  assert.deepEqual([refused.statusCode, refused.json().error], [413, "payload_too_large"]);
  await close();
});

test("a body with too many values is rejected before they are validated", async () => {
  const { send, close } = await serve({});
  const unknown = (count: number) => Array.from({ length: count }, () => 0);
  const issuesOf = async (text: unknown): Promise<unknown> => {
    const answer = await send(text);
    assert.equal(answer.statusCode, 400);
    return answer.json().details.issues;
  };
  assert.deepEqual(await issuesOf(unknown(MAX_JSON_VALUES)), [
    { path: "", message: `must have at most ${MAX_JSON_VALUES} values` },
  ]);
  assert.deepEqual(await issuesOf(unknown(MAX_JSON_VALUES - 10)), [
    { path: "text", message: "must be string" },
  ]);
  assert.equal((await send(",[{".repeat(MAX_JSON_VALUES))).statusCode, 201);
  await close();
});

test("a limited route reports how many requests are left, and when the limit resets", async () => {
  const { clock, send, close } = await serve({ rateLimit: { requests: 2, windowSeconds: 60 } });
  const ask = async (apiKey?: string) => {
    const { statusCode, headers } = await send("x", apiKey);
    const { "ratelimit-limit": limit, "ratelimit-remaining": remaining, "ratelimit-reset": reset } = headers;
    return [statusCode, limit, remaining, reset, headers["retry-after"]];
  };
  assert.deepEqual(await ask(), [201, "2", "1", "60", undefined]);
  clock.now = new Date(clock.now.getTime() + 500);
  assert.deepEqual(await ask(), [201, "2", "0", "60", undefined]);
  assert.deepEqual(await ask(), [429, "2", "0", "60", "60"]);
  assert.deepEqual(await ask("another's"), [201, "2", "1", "60", undefined]);
  clock.now = new Date(clock.now.getTime() + 59_500);
  assert.deepEqual(await ask(), [201, "2", "0", "1", undefined]);
  await close();
});

test("a client over its limit is rejected before the body is read", async () => {
  const { send, close } = await serve({ rateLimit: { requests: 1, windowSeconds: 60 } });
  assert.equal((await send("x")).statusCode, 201);
  const refused = await send("x".repeat(2 * MIB));
  assert.deepEqual([refused.statusCode, refused.json().error], [429, "rate_limited"]);
  await close();
});

test("a request rejected for another reason does not count toward the limit", async () => {
  const { send, close } = await serve({ rateLimit: { requests: 2, windowSeconds: 60 } });
  const ask = async (text: unknown) => {
    const { statusCode, headers } = await send(text);
    return [statusCode, headers["ratelimit-remaining"]];
  };
  assert.deepEqual(await ask("x"), [201, "1"]);
  for (let refused = 0; refused < 3; refused++) assert.deepEqual(await ask(7), [400, "1"]);
  assert.deepEqual(await ask("x".repeat(2 * MIB)), [413, "1"]);
  assert.deepEqual(await ask("x"), [201, "0"]);
  assert.deepEqual(await ask("x"), [429, "0"]);
  await close();
});

test("a request answered from its idempotency key counts toward no limit and is not subject to one", async () => {
  const { send, close } = await serve({ rateLimit: { requests: 2, windowSeconds: 60 } });
  const ask = async (key?: string, text = "x") => {
    const { statusCode, headers } = await send(text, "own", key);
    return [statusCode, headers["ratelimit-remaining"], headers["idempotent-replayed"]];
  };
  assert.deepEqual(await ask("one"), [201, "1", undefined]);
  for (let replays = 0; replays < 3; replays++) assert.deepEqual(await ask("one"), [201, "1", "true"]);
  assert.deepEqual(await ask(), [201, "0", undefined]);
  assert.deepEqual(await ask("one"), [201, "0", "true"]);
  assert.deepEqual(await ask("one", "y"), [409, "0", undefined]);
  const { statusCode, headers } = await send("x", "own", "two");
  assert.deepEqual([statusCode, headers["retry-after"]], [429, headers["ratelimit-reset"]]);
  assert.deepEqual(await ask(), [429, "0", undefined]);
  await close();
});

test("a route without a limit sends no limit headers", async () => {
  const { send, close } = await serve({});
  const { statusCode, headers } = await send("x");
  assert.equal(statusCode, 201);
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith("ratelimit")),
    [],
  );
  await close();
});
