import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { CallDetail, TranscriptItem } from "@parley/contract";
import { createOpenAiCompatibleModel } from "@parley/providers";
import {
  type ScriptedChatReply,
  type ScriptedChatRequest,
  type ScriptedChatOptions,
  startScriptedOpenAi,
} from "@parley/providers/testing";
import { systemClock } from "../../platform/clock.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { Jobs } from "../../platform/jobs/jobs.ts";
import { type TestServer, createTestLine, createTestServer, inboundCall } from "../testing.ts";
import { analyzeCallJob } from "./analysis.jobs.ts";
import { CallsService } from "../calls/calls.service.ts";
import { type AnalysisJob, AnalysisService, type AnalysisServiceOptions } from "./analysis.service.ts";
import { CallAnalyst, type CallAnalystOptions } from "./call-analyst.ts";

/** Deadline for a server that stalls; the model answers within milliseconds. */
const STALL_MS = 1_000;
const GOOD = JSON.stringify({
  extraction: { caller: "Ada", guests: 4, day: "2026-11-28" },
  evaluation: { polite: { reason: "It said please.", result: "pass" } },
});

const ASKED = {
  postCallExtraction: [
    { name: "caller", type: "string" as const, description: "Who called" },
    { name: "guests", type: "number" as const, description: "How many guests" },
    { name: "day", type: "date" as const, description: "Which day", required: true },
  ],
  postCallEvaluation: [{ name: "polite", criterion: "The agent was polite." }],
};

interface Bench {
  server: TestServer;
  analyst: CallAnalyst;
  requests: ScriptedChatRequest[];
  /** Pauses between requests. */
  pausesMs: number[];
  /** Ends a call of an agent with the fields of `ASKED`, without analyzing it; returns its id. */
  endCall: (words?: string[], agent?: object) => Promise<string>;
  analyze: (id: string) => Promise<CallDetail>;
}

async function createBench(
  t: TestContext,
  reply: (request: ScriptedChatRequest, index: number) => ScriptedChatReply,
  {
    fault,
    ...more
  }: Pick<ScriptedChatOptions, "fault"> & Pick<Partial<CallAnalystOptions>, "deadlineMs"> = {},
): Promise<Bench> {
  const requests: ScriptedChatRequest[] = [];
  const pausesMs: number[] = [];
  const server = await createTestServer();
  const { database, modules, organizationId } = server;
  const openai = await startScriptedOpenAi({
    reply: (request, index) => {
      requests.push(request);
      return reply(request, index);
    },
    ...(fault && { fault }),
  });
  const model = createOpenAiCompatibleModel({
    baseUrl: `${openai.url}/v1`,
    model: "scripted",
    firstByteTimeoutMs: STALL_MS,
    betweenChunksTimeoutMs: STALL_MS,
  });
  const { calls, conversations, agentResolution } = modules;
  const analyst = new CallAnalyst({
    database,
    calls,
    conversations,
    agentResolution,
    clock: systemClock,
    useModel: async () => ({
      set: { analysisModel: { model, mostCharacters: 20_000, settings: {} } },
      release: () => {},
    }),
    pause: async (ms) => void pausesMs.push(ms),
    ...more,
  });
  t.after(async () => {
    analyst.close();
    await model.close();
    await openai.close();
    await server.close();
  });
  const endCall = async (words = ["A table for four, please."], agent: object = ASKED): Promise<string> => {
    const id = await openCall(server, agent);
    await calls.appendItems(id, words.map(toItem), new Date());
    await calls.finish(id, { status: "completed", endReason: "user_hangup", endedAt: new Date() });
    return id;
  };
  const analyze = async (callId: string): Promise<CallDetail> => {
    await analyst.analyze({ organizationId, callId });
    return await calls.get(organizationId, callId);
  };
  return { server, analyst, requests, pausesMs, endCall, analyze };
}

function toItem(text: string, index: number): TranscriptItem {
  return { id: String(index), type: "message", role: "user", text, startMs: 0, endMs: 1 };
}

async function openCall(server: TestServer, agentFields: object): Promise<string> {
  const { modules, organizationId } = server;
  const line = await createTestLine(server, agentFields);
  const { configurationRevision } = await modules.agentResolution.resolveAgent(organizationId, line.agentId, {
    kind: "inbound_number",
    environment: null,
  });
  const at = new Date("2026-11-21T12:00:00Z");
  const call = inboundCall(organizationId, { ...line, configurationRevision, at });
  return (await modules.calls.openInbound(call)).callId;
}

const RESULTS = {
  extraction: { caller: "Ada", guests: 4, day: "2026-11-28" },
  evaluation: [{ name: "polite", result: "pass", reason: "It said please." }],
};

function assertReady(call: CallDetail, results: object = RESULTS): void {
  const { analysisStatus, analysisDetail, extraction, evaluation } = call;
  assert.deepEqual(
    { analysisStatus, analysisDetail, extraction, evaluation },
    { analysisStatus: "ready", analysisDetail: null, ...results },
  );
}

function assertFailed(call: CallDetail, detail: RegExp): void {
  assert.equal(call.analysisStatus, "failed");
  assert.match(call.analysisDetail ?? "", detail);
  assert.equal(call.extraction, null);
}

test("an ended call waits for its results from the model", async (t) => {
  const { server, requests, endCall, analyze } = await createBench(t, () => ({ text: GOOD }));
  const id = await endCall();
  const ended = await server.modules.calls.get(server.organizationId, id);
  assert.deepEqual([ended.analysisStatus, ended.extraction, ended.evaluation], ["pending", null, null]);
  assertReady(await analyze(id));
  const [request] = requests;
  assert.equal(request?.responseFormat?.type, "json_schema");
  assert.match(JSON.stringify(request?.responseFormat?.schema), /"guests":\{"type":\["number","null"\]/);
  assert.match(request?.lastUserText ?? "", /Caller: A table for four, please\./);
  assert.equal(requests.length, 1);
});

test("a call of an agent without analysis fields has no pending results", async (t) => {
  const { requests, endCall, analyze } = await createBench(t, () => ({ text: GOOD }));
  const call = await analyze(await endCall(["Hello"], {}));
  assert.deepEqual([call.analysisStatus, call.extraction, call.evaluation], [null, null, null]);
  assert.equal(requests.length, 0);
});

test("the model is not asked about a call whose caller said nothing", async (t) => {
  const { requests, endCall, analyze } = await createBench(t, () => ({ text: GOOD }));
  assertReady(await analyze(await endCall([])), {
    extraction: { caller: null, guests: null, day: null },
    evaluation: [{ name: "polite", result: "unknown", reason: "The caller said nothing." }],
  });
  assert.equal(requests.length, 0);
});

test("the analysis uses the call's configuration, not the agent's current one", async (t) => {
  const { server, endCall, analyze } = await createBench(t, () => ({ text: GOOD }));
  const id = await endCall();
  const { agentId } = await server.modules.calls.get(server.organizationId, id);
  await server.modules.agents.update(server, agentId, { postCallExtraction: [], postCallEvaluation: [] });
  assertReady(await analyze(id));
  await server.modules.agents.delete(server, agentId);
  assertReady(await analyze(id));
});

test("after prose instead of JSON, or wrong types, the request is repeated with the problems", async (t) => {
  const answers = ["I would say it went well.", GOOD.replace("4", '"four"'), GOOD];
  const { requests, endCall, analyze } = await createBench(t, (_, index) => ({ text: answers[index] ?? "" }));
  assertReady(await analyze(await endCall()));
  assert.match(requests[1]?.lastUserText ?? "", /the answer is not one JSON object/);
  assert.match(requests[2]?.lastUserText ?? "", /extraction\.guests must be a number or null/);
  assert.deepEqual(
    requests[2]?.messages.map(({ role }) => role),
    ["system", "user", "assistant", "user"],
  );
});

test("a model whose answers stay malformed fails the analysis with the problems", async (t) => {
  const { requests, endCall, analyze } = await createBench(t, () => ({ text: '{ "extraction": {} }' }));
  assertFailed(await analyze(await endCall()), /was invalid 3 times: extraction\.caller is missing/);
  assert.equal(requests.length, 3);
});

test("a missing required field is requested once more, and may stay null", async (t) => {
  const text = GOOD.replace('"2026-11-28"', "null");
  const { requests, endCall, analyze } = await createBench(t, () => ({ text }));
  assertReady(await analyze(await endCall()), {
    ...RESULTS,
    extraction: { ...RESULTS.extraction, day: null },
  });
  assert.equal(requests.length, 2);
  assert.match(requests[1]?.lastUserText ?? "", /extraction\.day is required: look again/);
});

test("a model's repeated refusal fails the analysis", async (t) => {
  const { requests, endCall, analyze } = await createBench(t, () => ({
    refusal: "I cannot help with that.",
  }));
  assertFailed(await analyze(await endCall()), /refused to answer/);
  assert.equal(requests.length, 3);
});

test("after 429, 500, a cut or a stalled connection the request is repeated after increasing pauses", async (t) => {
  const faults = [
    { type: "status", status: 429 },
    { type: "status", status: 500 },
    { type: "close", after: 1 },
    { type: "stall", after: 1 },
    { type: "stallConnect" },
  ] as const;
  const bench = await createBench(t, () => ({ text: GOOD }), { fault: (index) => faults[index] });
  assertReady(await bench.analyze(await bench.endCall()));
  assert.deepEqual(bench.pausesMs, [2_000, 4_000, 8_000, 16_000, 30_000]);
});

test("a permanent server error fails the analysis with its reason", async (t) => {
  const bench = await createBench(t, () => ({ text: GOOD }), {
    fault: () => ({ type: "status", status: 503 }),
  });
  assertFailed(await bench.analyze(await bench.endCall()), /scripted status 503/);
  assert.equal(bench.pausesMs.length, 7);
});

test("a rejected key fails the analysis at once", async (t) => {
  const bench = await createBench(t, () => ({ text: GOOD }), {
    fault: () => ({ type: "status", status: 401 }),
  });
  assertFailed(await bench.analyze(await bench.endCall()), /scripted status 401/);
  assert.deepEqual(bench.pausesMs, []);
});

test("a server without schema support is asked for JSON, and one without JSON support for text", async (t) => {
  for (const known of ["json_object", undefined]) {
    const asked: (string | undefined)[] = [];
    const bench = await createBench(
      t,
      ({ responseFormat }) => {
        asked.push(responseFormat?.type);
        return { text: GOOD };
      },
      {
        fault: (index) =>
          index < (known === undefined ? 2 : 1) ? { type: "status", status: 400 } : undefined,
      },
    );
    assertReady(await bench.analyze(await bench.endCall()));
    assert.deepEqual(asked, [known]);
  }
});

test("a server's timeout fails the analysis, and a node's end leaves it to another node", async (t) => {
  const stalled = { fault: () => ({ type: "stallConnect" as const }) };
  const late = await createBench(t, () => ({ text: GOOD }), { ...stalled, deadlineMs: 100 });
  assertFailed(await late.analyze(await late.endCall()), /did not answer within 0\.1 s/);
  const ending = await createBench(t, () => ({ text: GOOD }), stalled);
  const id = await ending.endCall();
  const running = assert.rejects(ending.analyze(id), /the node is shutting down/);
  ending.analyst.close();
  await running;
  const { modules, organizationId } = ending.server;
  assert.equal((await modules.calls.get(organizationId, id)).analysisStatus, "pending");
});

test("an ended call is analyzed again on request; earlier results stay until then, and if that fails", async (t) => {
  let text = GOOD;
  const { server, endCall, analyze } = await createBench(t, () => ({ text }));
  const id = await endCall();
  await analyze(id);
  const { status, body } = await server.request("POST", `/calls/${id}/reanalyze`);
  assert.equal(status, 200);
  const { data } = JSON.parse(JSON.stringify(body));
  assert.deepEqual([data.analysisStatus, data.extraction], ["pending", RESULTS.extraction]);
  text = GOOD.replace("Ada", "Grace");
  assertReady(await analyze(id), { ...RESULTS, extraction: { ...RESULTS.extraction, caller: "Grace" } });
  text = "no";
  const failed = await analyze(id);
  assert.equal(failed.analysisStatus, "failed");
  assert.deepEqual(failed.extraction, { ...RESULTS.extraction, caller: "Grace" });
});

test("an active call, or another organization's, is not analyzed again", async (t) => {
  const { server, endCall } = await createBench(t, () => ({ text: GOOD }));
  const open = await openCall(server, ASKED);
  const ongoing = await server.request("POST", `/calls/${open}/reanalyze`);
  assert.deepEqual([ongoing.status, JSON.parse(JSON.stringify(ongoing.body)).error], [409, "call_not_ended"]);
  const foreign = await server.createOrganization();
  const id = await endCall();
  const other = await server.request("POST", `/calls/${id}/reanalyze`, undefined, foreign.apiKey);
  assert.equal(other.status, 404);
});

test("without a language model the analysis fails when the call ends, and the reason says so", async (t) => {
  const { server } = await createBench(t, () => ({ text: GOOD }));
  const enqueued: object[] = [];
  const { analysis, calls } = createAnalysis(server, {
    jobs: { enqueue: async (_transaction, _kind, data) => void enqueued.push({ ...data }) },
    hasLanguageModel: async () => false,
  });
  const id = await openCall(server, ASKED);
  await calls.finish(id, { status: "completed", endReason: "user_hangup", endedAt: new Date() });
  const call = await calls.get(server.organizationId, id);
  assert.equal(call.analysisStatus, "failed");
  assert.match(call.analysisDetail ?? "", /no language model is configured/);
  assert.deepEqual(enqueued, []);
  await assert.rejects(analysis.reanalyze(server.organizationId, id), { code: "llm_not_configured" });
});

test("a job runs the analysis requested by the call's end", async (t) => {
  const { server, analyst } = await createBench(t, () => ({ text: GOOD }));
  const { connectionString, organizationId } = server;
  const jobs = await Jobs.start({ connectionString, logger: createLogger({ level: "silent" }) });
  const done = Promise.withResolvers<void>();
  const kind = analyzeCallJob(analyst);
  await jobs.work<AnalysisJob>({ ...kind, run: async (job) => await kind.run(job).then(done.resolve) });
  const { calls } = createAnalysis(server, { jobs, hasLanguageModel: async () => true });
  const id = await openCall(server, ASKED);
  await calls.finish(id, { status: "completed", endReason: "user_hangup", endedAt: new Date() });
  await done.promise;
  assert.equal((await calls.get(organizationId, id)).analysisStatus, "ready");
  await jobs.close();
});

/** Calls whose ends are analyzed by a separate analysis, not the server's. */
function createAnalysis(
  { database, modules: { agentResolution, conversations, recordings, organizationLimits } }: TestServer,
  options: Pick<AnalysisServiceOptions, "jobs" | "hasLanguageModel">,
): { analysis: AnalysisService; calls: CallsService } {
  const calls = new CallsService(database, {
    conversations,
    recordingLinks: recordings,
    quota: { requireRoom: async () => {} },
  });
  const analysis = new AnalysisService({
    database,
    calls,
    conversations,
    agentResolution,
    organizationLimits,
    clock: systemClock,
    ...options,
  });
  analysis.subscribe();
  return { analysis, calls };
}

test("a conversation by text is analyzed at its end, as a conversation by text", async (t) => {
  const { server, analyst, requests } = await createBench(t, () => ({ text: GOOD }));
  const { modules, database, organizationId } = server;
  const { id: agentId } = await modules.agents.create(server, { name: "Ada", ...ASKED });
  const { id: conversationId } = await modules.chats.startTest(organizationId, agentId, {});
  await modules.chats.sendInTest(organizationId, conversationId, { text: "A table for four, please." });
  const find = async () => await modules.conversations.get(organizationId, conversationId);
  assert.equal((await find()).analysisStatus, null);
  await database.transaction(async (transaction) => {
    await modules.conversations.end(transaction, conversationId, "user", new Date());
  });
  assert.equal((await find()).analysisStatus, "pending");
  await analyst.analyze({ organizationId, conversationId });
  const { analysisStatus, extraction, evaluation } = await find();
  assert.deepEqual([analysisStatus, { extraction, evaluation }], ["ready", RESULTS]);
  assert.match(requests[0]?.messages[0]?.content ?? "", /transcript of a conversation by text/);
  // One that was deleted meanwhile.
  await modules.conversations.delete(database, conversationId);
  await analyst.analyze({ organizationId, conversationId });
});
