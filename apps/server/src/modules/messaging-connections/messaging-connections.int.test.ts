import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MessagingConnection, MessagingConnectionCheck } from "@parley/contract";
import { SCRIPTED_ACCOUNT, ScriptedTwilio } from "@parley/providers/testing";
import { sql } from "drizzle-orm";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, type TestResponse } from "../testing.ts";

const SERVICE = `MG${"b".repeat(32)}`;
const URL = "/messaging-connections";

async function start(t: TestContext) {
  const twilio = await ScriptedTwilio.start({ messagingServiceSids: [SERVICE], accountName: "Bakery" });
  t.after(async () => await twilio.close());
  const server = await createTestServer({ twilioBaseUrl: twilio.url });
  t.after(async () => await server.close());
  const create = async (fields: object = {}): Promise<MessagingConnection> =>
    read(await server.request("POST", URL, { ...SCRIPTED_ACCOUNT, ...fields }), 201);
  const count = async (): Promise<unknown> => {
    const { rows } = await server.database.execute(sql`select count(*)::int as n from messaging_connections`);
    return rows[0]?.["n"];
  };
  return { twilio, server, create, count };
}

function read<T>({ status, body }: TestResponse, expected = 200): T {
  assert.equal(status, expected, JSON.stringify(body));
  return (body as { data: T }).data;
}

test("a connection is verified with the provider, and its token is stored encrypted and never returned", async (t) => {
  const { twilio, server, create } = await start(t);
  const created = await create();
  assert.deepEqual(
    [
      created.friendlyName,
      created.channel,
      created.provider,
      created.accountSid,
      created.messagingServiceSid,
    ],
    ["Bakery", "sms", "twilio", SCRIPTED_ACCOUNT.accountSid, null],
  );
  assert.deepEqual(
    twilio.requests.map(({ operation }) => operation),
    ["account"],
  );
  const named = await create({ friendlyName: "Shop", messagingServiceSid: SERVICE });
  assert.deepEqual([named.friendlyName, named.messagingServiceSid], ["Shop", SERVICE]);
  assert.deepEqual(read(await server.request("GET", `${URL}/${named.id}`)), named);
  const list = await server.request("GET", URL);
  assert.ok(!JSON.stringify([created, named, list.body]).includes(SCRIPTED_ACCOUNT.authToken));
  const { rows } = await server.database.execute(sql`select * from messaging_connections`);
  assert.equal(rows.length, 2);
  assert.ok(!JSON.stringify(rows).includes(SCRIPTED_ACCOUNT.authToken));
});

test("credentials that the provider refuses are rejected at authToken, an unknown service at its field", async (t) => {
  const { server, count } = await start(t);
  const wrong = { ...SCRIPTED_ACCOUNT, authToken: "wrong" };
  assertRefused(await server.request("POST", URL, wrong), "invalid_body", "authToken");
  const unknown = { ...SCRIPTED_ACCOUNT, messagingServiceSid: `MG${"c".repeat(32)}` };
  assertRefused(await server.request("POST", URL, unknown), "invalid_body", "messagingServiceSid");
  for (const field of ["accountSid", "authToken"]) {
    const body = { ...SCRIPTED_ACCOUNT, [field]: undefined };
    assertRefused(await server.request("POST", URL, body), "invalid_body", field);
  }
  assert.equal(await count(), 0);
});

test("a provider that fails or does not answer is provider_unreachable, and nothing is stored", async (t) => {
  const { twilio, server, count } = await start(t);
  const busy = { type: "error", status: 503, code: 20503, message: "Service unavailable" } as const;
  const limited = { type: "error", status: 429, code: 20429, message: "Too many requests" } as const;
  for (const fault of [busy, limited, { type: "cut", hasEffect: false } as const]) {
    twilio.fault = () => fault;
    const answer = await server.request("POST", URL, SCRIPTED_ACCOUNT);
    assertRefused(answer, "provider_unreachable");
    assert.equal(answer.status, 502);
  }
  await twilio.close();
  assertRefused(await server.request("POST", URL, SCRIPTED_ACCOUNT), "provider_unreachable");
  assert.equal(await count(), 0);
});

test("a change of credentials is verified again, other changes are not", async (t) => {
  const { twilio, server, create } = await start(t);
  const { id } = await create();
  const change = async (body: object): Promise<TestResponse> =>
    await server.request("PATCH", `${URL}/${id}`, body);
  const verified = twilio.requests.length;
  assert.equal(read<MessagingConnection>(await change({ friendlyName: "Other" })).friendlyName, "Other");
  assert.equal(twilio.requests.length, verified);
  assertRefused(await change({ authToken: "wrong" }), "invalid_body", "authToken");
  assertRefused(await change({ accountSid: `AC${"d".repeat(32)}` }), "invalid_body", "authToken");
  await change({ authToken: SCRIPTED_ACCOUNT.authToken });
  const moved = read<MessagingConnection>(await change({ messagingServiceSid: SERVICE }));
  assert.deepEqual([moved.messagingServiceSid, twilio.requests.length], [SERVICE, verified + 3]);
  // What GET gave can be sent back.
  assert.deepEqual(read<MessagingConnection>(await change(moved)).accountSid, moved.accountSid);
});

test("a check tells refused credentials from a provider that is away", async (t) => {
  const { twilio, server, create } = await start(t);
  const { id } = await create({ messagingServiceSid: SERVICE });
  const check = async (): Promise<unknown[]> => {
    const { isOk, problem } = read<MessagingConnectionCheck>(
      await server.request("POST", `${URL}/${id}/check`, {}),
    );
    return [isOk, problem];
  };
  assert.deepEqual(await check(), [true, null]);
  twilio.fault = () => ({ type: "error", status: 401, code: 20003, message: "Authenticate" });
  assert.deepEqual(await check(), [false, "credentials_refused"]);
  twilio.fault = ({ operation }) =>
    operation === "service" ? { type: "error", status: 404, code: 20404, message: "not found" } : undefined;
  assert.deepEqual(await check(), [false, "messaging_service_not_found"]);
  await twilio.close();
  assert.deepEqual(await check(), [false, "provider_unreachable"]);
});

test("a deleted connection is gone", async (t) => {
  const { server, create } = await start(t);
  const { id } = await create();
  assert.deepEqual(read(await server.request("DELETE", `${URL}/${id}`)), { id, deleted: true });
  assertRefused(await server.request("GET", `${URL}/${id}`), "not_found");
  assertRefused(await server.request("DELETE", `${URL}/${id}`), "not_found");
});
