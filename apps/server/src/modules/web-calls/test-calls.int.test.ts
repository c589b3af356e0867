import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Agent, CallDetail, JoinableCall } from "@parley/contract";
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

  test("an unknown environment is refused, and so is a call without free capacity", async () => {
    const path = `/agents/${agent.id}/test-call`;
    const held = server.modules.activeCalls.size;
    assertRefused(await server.request("POST", path, { environment: "none" }), "environment_not_found");
    server.media.hasFreePlace = false;
    assertRefused(await server.request("POST", path, {}), "capacity_exceeded");
    server.media.hasFreePlace = true;
    assert.equal(server.modules.activeCalls.size, held);
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
