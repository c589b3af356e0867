import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestCase, TestRun, TestRunComparison } from "@parley/contract";
import { refusalOf } from "../campaigns/testing.ts";
import { read } from "../messages/testing.ts";
import { listCases } from "./test-suites.store.ts";
import { testCases } from "./test-suites.tables.ts";
import { openLaboratory } from "./testing.ts";

const hello = { callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }] };

test("a suite of 1,000 cases: listed, run in part, and its runs read with their attempts", async (t) => {
  const { addCase, startRun, getRun, carryAll, server, suite } = await openLaboratory(t, {
    model: () => ({ text: "Hello." }),
  });
  await server.database.transaction(async (transaction) => {
    const limits = { testCasesPerSuite: 1_000 };
    await server.modules.organizationLimits.override(transaction, server.organizationId, limits);
  });
  const { id: caseId } = await addCase({ ...hello, name: "First" });
  const {
    id: _id,
    position: _position,
    ...first
  } = (await listCases(server.database, suite.id))[0] ?? assert.fail();
  await server.database
    .insert(testCases)
    .values(Array.from({ length: 999 }, (_, index) => ({ ...first, name: `Case ${index + 1}` })));
  const path = `/test-suites/${suite.id}`;
  assert.deepEqual(refusalOf(await server.request("POST", `${path}/tests`, { name: "One more", ...hello })), [
    409,
    "limit_reached",
  ]);
  const cases = read<TestCase[]>(await server.request("GET", `${path}/tests`));
  assert.deepEqual([cases.length, cases[0]?.id, cases.at(-1)?.name], [1_000, caseId, "Case 999"]);
  const all = read<TestRun>(await startRun(), 201);
  assert.equal(all.totalAttempts, 1_000);
  read(await server.request("POST", `${path}/runs/${all.id}/cancel`));
  assert.equal((await getRun(all.id)).attempts.length, 1_000);
  const some = read<TestRun>(await startRun({ testCaseIds: [caseId] }), 201);
  await carryAll();
  const list = async (query: string) => await server.request("GET", `${path}/runs?${query}`);
  const page = (await list("pageSize=1&includeAttempts=true")).body as { data: TestRun[] };
  assert.deepEqual([page.data[0]?.id, page.data[0]?.attempts?.length], [some.id, 1]);
  assert.deepEqual(refusalOf(await list("includeAttempts=true")), [400, "invalid_query", "includeAttempts"]);
});

test("long scripts are refused by their field, and the cases of a suite have a largest size", async (t) => {
  const { server, suite } = await openLaboratory(t);
  const path = `/test-suites/${suite.id}/tests`;
  const create = async (fields: object) =>
    await server.request("POST", path, { name: "Case", ...hello, ...fields });
  assert.deepEqual(refusalOf(await create({ script: "x".repeat(100_000) })), [400, "invalid_body", "script"]);
  assert.deepEqual(refusalOf(await create({ callerLines: ["x".repeat(100_000)] })), [
    400,
    "invalid_body",
    "callerLines.0",
  ]);
  const long = { callerLines: Array.from({ length: 100 }, () => "x".repeat(4_000)) };
  const created = read<TestCase>(await create(long), 201);
  let refused = await create(long);
  for (let cases = 2; cases < 100 && refused.status === 201; cases++) refused = await create(long);
  assert.deepEqual(refusalOf(refused), [409, "limit_reached"]);
  const grow = { script: "x".repeat(20_000), scoringRubric: "x".repeat(20_000), toolMocks: [] };
  for (let times = 0; times < 2; times++) read(await create({}), 201);
  const update = await server.request("PATCH", `${path}/${created.id}`, {
    ...grow,
    toolMocks: Array.from({ length: 20 }, (_, index) => ({
      toolName: `tool_${index}`,
      answers: [{ text: "x".repeat(20_000) }],
    })),
  });
  assert.deepEqual(refusalOf(update), [409, "limit_reached"]);
});

test("variables and lines with the syntax of templates are rendered once, and names of objects are plain names", async (t) => {
  const { addCase, run } = await openLaboratory(t, {
    model: ({ messages, lastUserText }) => ({ text: `${messages[0]?.content} | ${lastUserText}` }),
    agent: { promptTemplate: "{{a}} {{constructor}} {{__proto__}}" },
  });
  await addCase({
    callerLines: ["{{a}} {{toString}} {{ b }} {{{a}}} {{"],
    variables: JSON.parse('{"a":"{{b}}","b":"$& $1 {{a}}","constructor":"C"}') as object,
    assertions: [{ type: "said", text: "b" }],
  });
  const [attempt] = (await run({ variables: { c: "{{a}}" } })).attempts;
  const said = attempt?.transcript.filter(({ role }) => role === "user").map(({ text }) => text);
  assert.deepEqual(said, ["{{b}}  $& $1 {{a}} {{{b}}} {{"]);
  assert.match(attempt?.transcript.at(-1)?.text ?? "", /^\{\{b\}\} C {2}\|/);
});

test("arguments of mocks and assertions are compared as data: prototypes and patterns match nothing by accident", async (t) => {
  const asked: Record<string, unknown>[] = [{}, { number: "1234" }, { number: ".*" }];
  let turn = 0;
  const { addCase, run, server, agentId } = await openLaboratory(t, {
    model: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "tool") return { text: `It says ${last.content}.` };
      return { toolCalls: [{ name: "look_up", input: asked[turn++] ?? {} }] };
    },
  });
  const schema = { description: "Looks up.", parameters: { type: "object", properties: {} } };
  const tool = { name: "look_up", webhookUrl: "https://shop.example/orders", schema };
  read(await server.request("POST", `/agents/${agentId}/custom-tools`, tool), 201);
  await addCase({
    callerLines: asked.map((_, index) => `Call ${index}`),
    toolMocks: [
      { toolName: "look_up", arguments: { number: ".*" }, answers: [{ text: "pattern" }] },
      { toolName: "look_up", arguments: { number: "1234" }, match: "exact", answers: [{ text: "exact" }] },
    ],
    assertions: [
      { type: "tool_not_called", toolName: "look_up", arguments: { toString: {} } },
      { type: "tool_called", toolName: "look_up", arguments: { number: ".*" }, times: 1 },
    ],
  });
  const [attempt] = (await run()).attempts;
  assert.equal(attempt?.result, "pass", JSON.stringify(attempt));
  const results = attempt.transcript.filter(({ type }) => type === "tool_result").map(({ text }) => text);
  assert.match(results[0] ?? "", /no mock of this tool matches/);
  assert.deepEqual(results.slice(1), ["exact", "pattern"]);
});

test("a mock with the name of a prototype is refused", async (t) => {
  const { server, suite } = await openLaboratory(t);
  const mock: unknown = JSON.parse('{"toolName":"a","arguments":{"__proto__":{}},"answers":[{"text":""}]}');
  const answer = await server.request("POST", `/test-suites/${suite.id}/tests`, {
    ...hello,
    name: "Case",
    toolMocks: [mock],
  });
  assert.deepEqual(refusalOf(answer), [400, "invalid_body", ""]);
});

test("deeply nested arguments are refused or stored, and never fail the server", async (t) => {
  const { server, suite } = await openLaboratory(t);
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  for (const depth of [100, 9_000]) {
    const body = `{"name":"Case","callerLines":["Hello"],"assertions":[{"type":"tool_called","toolName":"a","arguments":${nested(depth)}}],"toolMocks":[{"toolName":"a","arguments":${nested(depth)},"answers":[{"text":""}]}]}`;
    const { statusCode } = await server.app.inject({
      method: "POST",
      url: `/v1/test-suites/${suite.id}/tests`,
      headers: { "x-api-key": server.apiKey, "content-type": "application/json" },
      payload: body,
    });
    assert.ok(statusCode === 201 || statusCode === 400, `${statusCode} at ${depth}`);
  }
});

test("an assertion whose text has no words is refused, because it could not fail or not hold", async (t) => {
  const { server, suite } = await openLaboratory(t);
  const create = async (assertion: object) =>
    refusalOf(
      await server.request("POST", `/test-suites/${suite.id}/tests`, {
        ...hello,
        name: "Case",
        assertions: [assertion],
      }),
    );
  assert.deepEqual(await create({ type: "not_said", text: "?!" }), [
    400,
    "invalid_body",
    "assertions.0.text",
  ]);
  assert.deepEqual(await create({ type: "order", sequence: [{ text: "Hello" }, { text: "…" }] }), [
    400,
    "invalid_body",
    "assertions.0.sequence.1",
  ]);
});

test("two starts at once with one key are one run", async (t) => {
  const { addCase, server, suite } = await openLaboratory(t, { model: () => ({ text: "Hello." }) });
  await addCase(hello);
  const key = crypto.randomUUID();
  const start = async () =>
    await server.app.inject({
      method: "POST",
      url: `/v1/test-suites/${suite.id}/runs`,
      headers: { "x-api-key": server.apiKey, "idempotency-key": key },
      payload: {},
    });
  const answers = await Promise.all([start(), start(), start()]);
  for (const { statusCode, body } of answers)
    assert.ok(statusCode === 201 || /idempotency_in_progress/.test(body), `${statusCode} ${body}`);
  const ids = answers.flatMap((each) =>
    each.statusCode === 201 ? [each.json<{ data: TestRun }>().data.id] : [],
  );
  assert.equal(new Set(ids).size, 1);
  const { total } = (await server.request("GET", `/test-suites/${suite.id}/runs`)).body as { total: number };
  assert.equal(total, 1);
});

test("a run goes on when its agent, environment and cases are deleted, and a new one is refused", async (t) => {
  const { addCase, startRun, getRun, carryAll, server, suite, agentId } = await openLaboratory(t, {
    model: ({ messages }) => ({ text: `Hello from ${messages[0]?.content}` }),
    agent: { promptTemplate: "{{place}}" },
  });
  const agents = `/agents/${agentId}`;
  const environment = { revision: 1, variables: { place: "staging" } };
  read(await server.request("PUT", `${agents}/environments/staging`, environment));
  const testCase = await addCase({ ...hello, assertions: [{ type: "said", text: "Hello from staging" }] });
  const { id } = read<TestRun>(await startRun({ environment: "staging" }), 201);
  read(await server.request("DELETE", `${agents}/environments/staging`));
  assert.deepEqual(refusalOf(await startRun({ environment: "staging" })), [400, "environment_not_found"]);
  read(await server.request("DELETE", `/test-suites/${suite.id}/tests/${testCase.id}`));
  assert.deepEqual(refusalOf(await startRun()), [400, "no_test_cases"]);
  await addCase(hello);
  read(await server.request("DELETE", agents));
  assert.deepEqual(refusalOf(await startRun()), [404, "not_found"]);
  await carryAll();
  const { status, attempts } = await getRun(id);
  assert.deepEqual([status, attempts[0]?.result], ["completed", "pass"], JSON.stringify(attempts));
});

test("no operation reaches suites, cases and runs of another organization, nor mixes those of two suites", async (t) => {
  const { addCase, startRun, server, suite, agentId } = await openLaboratory(t, {
    model: () => ({ text: "Hello." }),
  });
  const testCase = await addCase(hello);
  const run = read<TestRun>(await startRun(), 201);
  const second = { name: "Second", agentId, mode: "chat" };
  const other = read<{ id: string }>(await server.request("POST", "/test-suites", second), 201);
  const stranger = await server.createOrganization();
  const paths = (suiteId: string) =>
    [
      ["GET", `/test-suites/${suiteId}/tests/${testCase.id}`],
      ["PATCH", `/test-suites/${suiteId}/tests/${testCase.id}`],
      ["DELETE", `/test-suites/${suiteId}/tests/${testCase.id}`],
      ["GET", `/test-suites/${suiteId}/runs/${run.id}`],
      ["GET", `/test-suites/${suiteId}/runs/${run.id}/comparison`],
      ["POST", `/test-suites/${suiteId}/runs/${run.id}/cancel`],
    ] as const;
  const body = (method: string) => (method === "PATCH" ? { name: "Theirs" } : undefined);
  for (const [method, path] of paths(other.id))
    assert.deepEqual(refusalOf(await server.request(method, path, body(method))), [404, "not_found"], path);
  const own = [
    ...paths(suite.id),
    ["DELETE", `/test-suites/${suite.id}`],
    ["GET", `/test-suites/${suite.id}/tests`],
  ] as const;
  for (const [method, path] of own)
    assert.deepEqual(
      refusalOf(await server.request(method, path, body(method), stranger.apiKey)),
      [404, "not_found"],
      path,
    );
  const mixed = await server.request("POST", `/test-suites/${other.id}/runs`, { testCaseIds: [testCase.id] });
  assert.deepEqual(refusalOf(mixed), [400, "no_test_cases"]);
});

test("a comparison of runs without a result has neither a rate nor a change", async (t) => {
  const { addCase, startRun, server, suite } = await openLaboratory(t, { model: () => ({ text: "Hello." }) });
  await addCase({ ...hello, attemptsPerRun: 3 });
  const [first, second] = [read<TestRun>(await startRun(), 201), read<TestRun>(await startRun(), 201)];
  read(await server.request("POST", `/test-suites/${suite.id}/runs/${first.id}/cancel`));
  const path = `/test-suites/${suite.id}/runs/${second.id}/comparison?base=${first.id}`;
  const [compared] = read<TestRunComparison>(await server.request("GET", path)).tests;
  const nothing = { pass: 0, fail: 0, error: 0, passRate: null, isFlaky: false };
  assert.deepEqual(compared?.run, { ...nothing, cancelled: 0 });
  assert.deepEqual(compared.base, { ...nothing, cancelled: 3 });
  assert.equal(compared.change, "same");
});
