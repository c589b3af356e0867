import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Agent, CallDetail, Conversation, JoinableCall } from "@parley/contract";
import type { MediaCall } from "../../media/media-protocol.ts";
import { waitFor } from "@parley/testing";
import { assertRefused } from "../contract-conformance.ts";
import { createTestServer, type TestResponse, type TestServer } from "../testing.ts";

function dataOf<T>({ status, body }: TestResponse): T {
  const { data }: { data: T } = JSON.parse(JSON.stringify(body));
  assert.ok(data !== undefined, `${status} ${JSON.stringify(body)}`);
  return data;
}

describe("a test call", () => {
  let server: TestServer;
  let agent: Agent;

  before(async () => {
    server = await createTestServer();
    const created = await server.request("POST", "/agents", {
      name: "Club",
      publishMode: "manual",
      promptTemplate: "Live",
      defaultVariables: { a: "agent", b: "agent", c: "agent", d: "agent" },
      testVariables: { b: "test", c: "test", d: "test" },
    });
    agent = dataOf(created);
    await server.request("POST", `/agents/${agent.id}/publish`, {});
    await server.request("PUT", `/agents/${agent.id}/environments/staging`, {
      revision: 1,
      variables: { c: "environment", d: "environment" },
    });
    await server.request("PATCH", `/agents/${agent.id}`, { promptTemplate: "Draft" });
  });
  after(async () => await server.close());

  /** Returns the setup that the call's media was opened with. */
  const opened = async (callId: string): Promise<MediaCall> =>
    await waitFor("the call's media", () => server.media.opened.find((call) => call.callId === callId));

  test("runs the draft or the requested environment, and returns the address and token to join", async () => {
    const answer = await server.request("POST", `/agents/${agent.id}/test-call`, {}, undefined, {
      host: "parley.example.com",
    });
    assert.equal(answer.status, 201);
    const { callId, url, token } = dataOf<JoinableCall>(answer);
    assert.equal(url, `http://parley.example.com/rtc/calls/${callId}`);
    assert.ok(token.length >= 43);
    assert.equal((await opened(callId)).instructions, "Draft");

    const call = dataOf<CallDetail>(await server.request("GET", `/calls/${callId}`));
    assert.deepEqual(
      [call.channel, call.isTest, call.status, call.toNumber, call.fromNumber],
      ["web", true, "ringing", null, null],
    );

    const live = await server.request("POST", `/agents/${agent.id}/test-call`, { environment: "production" });
    assert.equal((await opened(dataOf<JoinableCall>(live).callId)).instructions, "Live");
  });

  test("variables: the agent's, then its test variables, the environment's, the request's", async () => {
    const started = await server.request("POST", `/agents/${agent.id}/test-call`, {
      environment: "staging",
      variables: { d: "request" },
    });
    const { conversation } = await opened(dataOf<JoinableCall>(started).callId);
    assert.deepEqual(conversation.variables, {
      a: "agent",
      b: "test",
      c: "environment",
      d: "request",
    });
  });

  test("variables of any JSON scalar are kept as given and rendered as text", async () => {
    const template = "{{name}} is {{age}}, {{vip}}, {{none}}{{price}}{{off}}.";
    const variables = { name: "Ada", age: 42, vip: true, none: null };
    const own = dataOf<Agent>(
      await server.request("POST", "/agents", {
        name: "Scalars",
        promptTemplate: template,
        defaultVariables: { ...variables, name: 7 },
        testVariables: { name: "Ada" },
      }),
    );
    assert.deepEqual(own.defaultVariables, { ...variables, name: 7 });
    const path = `/agents/${own.id}`;
    await server.request("PUT", `${path}/environments/staging`, { variables: { price: 1.5 } });
    const started = await server.request("POST", `${path}/test-call`, {
      environment: "staging",
      variables: { off: false },
    });
    const { callId } = dataOf<JoinableCall>(started);
    const { conversation, instructions } = await opened(callId);
    const all = { ...variables, price: 1.5, off: false };
    assert.deepEqual([conversation.variables, instructions], [all, "Ada is 42, true, 1.5false."]);
    const { conversationId } = dataOf<CallDetail>(await server.request("GET", `/calls/${callId}`));
    const stored = dataOf<Conversation>(await server.request("GET", `/conversations/${conversationId}`));
    assert.deepEqual(stored.variables, all);
    for (const value of [["x"], { x: 1 }, "x".repeat(4_001)]) {
      const refused = await server.request("POST", `${path}/test-call`, { variables: { off: value } });
      assertRefused(refused, "invalid_body", "variables.off");
    }
  });

  test("an unknown environment is refused, and so is a call without free capacity", async () => {
    const path = `/agents/${agent.id}/test-call`;
    const active = server.modules.activeCalls.size;
    assertRefused(await server.request("POST", path, { environment: "none" }), "environment_not_found");
    server.media.capacity = 0;
    assertRefused(await server.request("POST", path, {}), "capacity_exceeded");
    server.media.capacity = Number.POSITIVE_INFINITY;
    assert.equal(server.modules.activeCalls.size, active);
  });

  test("an organization may start twenty calls in a minute, without an effect on another organization", async () => {
    const { apiKey } = await server.createOrganization();
    const own = dataOf<Agent>(await server.request("POST", "/agents", { name: "Other" }, apiKey));
    const path = `/agents/${own.id}/test-call`;
    for (let started = 0; started < 20; started++)
      assert.equal((await server.request("POST", path, {}, apiKey)).status, 201);
    const refused = await server.request("POST", path, {}, apiKey);
    assertRefused(refused, "rate_limited");
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers["retry-after"]) >= 1);
    assert.equal((await server.request("POST", `/agents/${agent.id}/test-call`, {})).status, 201);
  });
});
