import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Instruction } from "@parley/conversation";
import type { CallMedia } from "../../media/media-legs.ts";
import { type TestServer, createTestLine, createTestServer, inboundCall, openTestCall } from "../testing.ts";
import type { CallToRegister } from "./active-call-registry.ts";

const WINE = "Offer the caller wine.";

/**
 * A call of this node whose media gives these answers to instructions, and the instructions that it received.
 */
async function setUp(
  context: TestContext,
  { isTaken = true, isAnswered = true }: { isTaken?: boolean; isAnswered?: boolean } = {},
) {
  const server = await createTestServer();
  const { modules, organizationId } = server;
  const line = await createTestLine(server);
  const ids = await modules.calls.openInbound(inboundCall(organizationId, line));
  const agent = await modules.agentResolution.resolveAgent(organizationId, line.agentId, {
    kind: "inbound_number",
    environment: null,
  });
  const told: Instruction[] = [];
  const media: CallMedia = {
    prepared: Promise.resolve(),
    noteTransfer: () => {},
    instruct: async (instruction) => {
      told.push(instruction);
      return isTaken;
    },
    close: async () => undefined,
  };
  const record: CallToRegister = {
    ...ids,
    agent,
    variables: {},
    channel: "phone",
    direction: "inbound",
    fromNumber: null,
    toNumber: line.toNumber,
    at: new Date(),
  };
  const carrying = modules.activeCalls.carry(record, () => ({
    establish: async (call) => {
      call.takeMedia(media);
      if (isAnswered) call.answered();
    },
    end: () => {},
  }));
  context.after(async () => {
    await server.close();
    await carrying;
  });
  return { server, callId: ids.callId, told };
}

async function instruct(server: TestServer, callId: string, body: unknown, apiKey?: string) {
  const { status, body: answer } = await server.request(
    "POST",
    `/calls/${callId}/instructions`,
    body,
    apiKey,
  );
  const { error, data }: { error?: string; data?: unknown } = JSON.parse(JSON.stringify(answer));
  return { status, result: error ?? data };
}

test("an instruction reaches the call without the space around it", async (context) => {
  const { server, callId, told } = await setUp(context);
  assert.deepEqual(await instruct(server, callId, { instruction: `\n ${WINE}  ` }), {
    status: 202,
    result: { callId, delivered: true, speak: false },
  });
  assert.deepEqual(await instruct(server, callId, { instruction: WINE, speak: true }), {
    status: 202,
    result: { callId, delivered: true, speak: true },
  });
  assert.deepEqual(told, [
    { text: WINE, speak: false },
    { text: WINE, speak: true },
  ]);
});

test("an instruction's length is counted in code points, without the space around it", async (context) => {
  const { server, callId, told } = await setUp(context);
  const longest = "🍷".repeat(2000);
  assert.equal((await instruct(server, callId, { instruction: ` ${longest} ` })).status, 202);
  for (const instruction of ["", "  \n ", `${longest}!`, 1, null]) {
    assert.deepEqual(await instruct(server, callId, { instruction }), {
      status: 400,
      result: "invalid_body",
    });
  }
  assert.deepEqual(await instruct(server, callId, { instruction: WINE, loud: true }), {
    status: 400,
    result: "invalid_body",
  });
  assert.equal(told.length, 1);
});

test("an unknown call and a call of another organization are not found", async (context) => {
  const { server, callId, told } = await setUp(context);
  const { apiKey } = await server.createOrganization();
  const notFound = { status: 404, result: "not_found" };
  assert.deepEqual(await instruct(server, callId, { instruction: WINE }, apiKey), notFound);
  for (const id of ["0198f3a2-5d0e-7c41-9b3f-2f4b8f0d6c11", "x"])
    assert.deepEqual(await instruct(server, id, { instruction: WINE }), notFound);
  const remote = await openTestCall(server, { nodeId: "another" });
  assert.deepEqual(await instruct(server, remote.callId, { instruction: WINE }, apiKey), notFound);
  assert.deepEqual(told, []);
});

test("a ringing call and an ended call are not active, on this node and on another", async (context) => {
  const { server, callId } = await setUp(context, { isAnswered: false });
  const notActive = { status: 409, result: "call_not_active" };
  assert.deepEqual(await instruct(server, callId, { instruction: WINE }), notActive);
  const remote = await openTestCall(server, { nodeId: "another" });
  assert.deepEqual(await instruct(server, remote.callId, { instruction: WINE }), notActive);
  await server.modules.calls.finish(remote.callId, {
    status: "completed",
    endReason: "user_hangup",
    endedAt: new Date(),
  });
  assert.deepEqual(await instruct(server, remote.callId, { instruction: WINE }), notActive);
});

test("a call without a listening agent cannot be addressed", async (context) => {
  const { server, callId } = await setUp(context, { isTaken: false });
  assert.deepEqual(await instruct(server, callId, { instruction: WINE }), {
    status: 409,
    result: "call_not_addressable",
  });
});

test("a call whose node does not answer cannot be addressed", async (context) => {
  const { server } = await setUp(context);
  const { callId } = await openTestCall(server, { nodeId: "another" });
  const answer = { at: new Date(), llmName: "llm", sttName: "stt", ttsName: "tts" };
  await server.modules.calls.markAnswered(callId, answer);
  assert.deepEqual(await instruct(server, callId, { instruction: WINE }), {
    status: 409,
    result: "call_not_addressable",
  });
});

test("an instruction sent again with its idempotency key is delivered once", async (context) => {
  const { server, callId, told } = await setUp(context);
  const send = async () =>
    await server.request("POST", `/calls/${callId}/instructions`, { instruction: WINE }, undefined, {
      "idempotency-key": "once",
    });
  assert.equal((await send()).status, 202);
  assert.equal((await send()).status, 202);
  assert.equal(told.length, 1);
});
