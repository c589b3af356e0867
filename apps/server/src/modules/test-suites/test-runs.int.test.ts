import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestCase, TestRun, TestRunComparison } from "@parley/contract";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { refusalOf } from "../campaigns/testing.ts";
import { read } from "../messages/testing.ts";
import { CLAIM_MS } from "./engine/attempt-claims.ts";
import { openTestCall } from "../testing.ts";
import { openLaboratory, partOf } from "./testing.ts";

const rubric = { script: "You are Ada. Ask for order {{number}}.", scoringRubric: "Names order {{number}}." };

/** A tester that asks once and then hangs up, an agent that repeats, and a judge that approves. */
function play(request: ScriptedChatRequest): ScriptedChatReply {
  const { messages } = request;
  const last = messages.at(-1)?.content ?? "";
  switch (partOf(request)) {
    case "tester":
      return last.startsWith("Miller")
        ? { text: `Where is ${/order \d+/.exec(messages[0]?.content ?? "")?.[0]}?` }
        : { text: "Goodbye.", toolCalls: [{ name: "end_call", input: {} }] };
    case "judge":
      return { text: JSON.stringify({ reason: "It did.", evidence: ["You asked"], verdict: "pass" }) };
    case "agent":
      return { text: `You asked: ${last}` };
  }
}

test("a tester plays its script and hangs up, and a judge decides by the rubric, with quotes", async (t) => {
  const requests: ScriptedChatRequest[] = [];
  const { addCase, run } = await openLaboratory(t, {
    model: (request) => {
      requests.push(request);
      return play(request);
    },
  });
  await addCase({ ...rubric, variables: { number: 1234 } });
  const { attempts, passedTests, name } = await run();
  assert.equal(passedTests, 1, JSON.stringify(attempts));
  assert.match(name, /^Orders, \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC$/);
  const [attempt] = attempts;
  assert.deepEqual(
    attempt?.transcript.map(({ role, text }) => [role, text]),
    [
      ["agent", "Miller, hello."],
      ["user", "Where is order 1234?"],
      ["agent", "You asked: Where is order 1234?"],
      ["user", "Goodbye."],
    ],
  );
  assert.deepEqual(
    [attempt?.result, attempt?.reasoning, attempt?.endReason],
    ["pass", "It did.", "user_hangup"],
  );
  assert.deepEqual(attempt?.evidence, [{ quote: "You asked", itemId: attempt?.transcript[2]?.id }]);
  const system = requests.map(({ messages }) => messages[0]?.content ?? "");
  assert.ok(system.some((text) => text.includes("Ask for order 1234.")));
  assert.ok(system.some((text) => text.endsWith("Requirements:\nNames order 1234.")));
});

test("a judge that errs, rambles, invents or answers no JSON makes an error, and never a pass", async (t) => {
  const verdict = (change: object): string =>
    JSON.stringify({ reason: "It did.", evidence: ["You asked"], verdict: "pass", ...change });
  const answers = [
    "Pass!",
    `Well, ${verdict({})}`,
    verdict({ evidence: ["a refund"] }),
    verdict({ evidence: [] }),
    verdict({}).replace("{", '{"verdict":"fail",'),
    verdict({ verdict: "unknown" }),
    "",
  ];
  const { addCase, run } = await openLaboratory(t, {
    model: (request) => {
      const number = Number(/Names order (\d+)/.exec(request.messages[0]?.content ?? "")?.[1]);
      return partOf(request) === "judge" ? { text: answers[number] ?? "" } : play(request);
    },
  });
  for (const number of answers.keys()) await addCase({ ...rubric, variables: { number } });
  const { attempts, passedTests, failedTests } = await run();
  assert.deepEqual(
    attempts.map(({ result }) => result),
    answers.map(() => "error"),
    JSON.stringify(attempts.map(({ reasoning }) => reasoning)),
  );
  assert.deepEqual([passedTests, failedTests], [0, answers.length]);
  for (const { reasoning } of attempts) assert.match(reasoning ?? "", /^The judge did not decide/);
});

test("sms and web_chat run the prompt of their channel, and the tester writes first", async (t) => {
  const prompts: string[] = [];
  const { addCase, run } = await openLaboratory(t, {
    model: ({ messages, tools }) => {
      prompts.push(`${messages[0]?.content} ${tools.length}`);
      return { text: "Hello." };
    },
    agent: {
      promptTemplate: "Call {{a}}.",
      messagingConfig: { smsPrompt: "SMS {{a}}." },
      widgetConfig: { webchatPrompt: "Chat {{a}}." },
      defaultVariables: { a: "agent", b: "agent", c: "agent", d: "agent" },
    },
    suite: { defaultVariables: { b: "suite", c: "suite", d: "suite" } },
  });
  await addCase({
    callerLines: ["{{a}} {{b}} {{c}} {{d}}"],
    variables: { c: "case", d: "case" },
    assertions: [{ type: "said", role: "user", text: "agent suite case run" }],
  });
  for (const mode of ["sms", "web_chat", "chat"] as const) {
    const finished = await run({ mode, variables: { d: "run" } });
    assert.equal(finished.mode, mode);
    const [attempt] = finished.attempts;
    assert.equal(attempt?.result, "pass", JSON.stringify(attempt));
    assert.deepEqual(attempt.variables, { a: "agent", b: "suite", c: "case", d: "run" });
    assert.equal(attempt.transcript[0]?.role, mode === "chat" ? "agent" : "user");
  }
  // In `chat` the agent can hang up, and put a number on the do-not-call list.
  assert.deepEqual(prompts, ["SMS agent. 0", "Chat agent. 0", "Call agent. 2"]);
});

test("a run keeps the configuration and the cases that it started with, of the chosen environment", async (t) => {
  const { addCase, startRun, getRun, carryAll, server, agentId, suite } = await openLaboratory(t, {
    model: ({ messages }) => ({ text: messages[0]?.content ?? "" }),
    agent: { promptTemplate: "First {{place}}." },
  });
  read(await server.request("PATCH", `/agents/${agentId}`, { publishMode: "manual" }));
  const testCase = await addCase({
    callerLines: ["Hello"],
    assertions: [{ type: "said", text: "First" }],
  });
  const agents = `/agents/${agentId}`;
  read(await server.request("POST", `${agents}/publish`, { revision: 1 }));
  read(
    await server.request("PUT", `${agents}/environments/staging`, {
      revision: 1,
      variables: { place: "stage" },
    }),
  );
  const ids: string[] = [];
  for (const environment of [null, "production", "staging"])
    ids.push(read<TestRun>(await startRun({ environment }), 201).id);
  read(await server.request("PATCH", agents, { promptTemplate: "Second." }));
  const path = `/test-suites/${suite.id}/tests/${testCase.id}`;
  read(await server.request("PATCH", path, { assertions: [{ type: "said", text: "Second" }] }));
  ids.push(read<TestRun>(await startRun({ environment: "production" }), 201).id);
  read(await server.request("DELETE", path));
  await carryAll();
  const finished = await Promise.all(ids.map(getRun));
  assert.deepEqual(
    finished.map(({ environment, attempts: [attempt] }) => [
      environment,
      attempt?.result,
      attempt?.transcript.at(-1)?.text,
    ]),
    [
      [null, "pass", "First ."],
      ["production", "pass", "First ."],
      ["staging", "pass", "First stage."],
      ["production", "fail", "First ."],
    ],
  );
});

test("50 attempts run side by side", async (t) => {
  const { addCase, startRun, getRun, server } = await openLaboratory(t, { model: play });
  for (let number = 0; number < 5; number++)
    await addCase({ ...rubric, variables: { number }, attemptsPerRun: 10 });
  const { id } = read<TestRun>(await startRun(), 201);
  const { testAttempts } = server.modules;
  const claimed = await Promise.all(Array.from({ length: 50 }, async () => await testAttempts.claim()));
  await Promise.all(claimed.map(async (each) => each && (await testAttempts.run(each))));
  const { status, attempts, passedTests, completedAttempts, totalAttempts } = await getRun(id);
  assert.deepEqual([status, passedTests, completedAttempts, totalAttempts], ["completed", 5, 50, 50]);
  for (const { result, reasoning } of attempts) assert.equal(result, "pass", reasoning ?? "");
});

test("attempts wait for the organization's limit", async (t) => {
  const { addCase, startRun, carryAll, getRun, server } = await openLaboratory(t, { model: play });
  const { organizationLimits, testAttempts } = server.modules;
  await server.database.transaction(async (transaction) => {
    await organizationLimits.override(transaction, server.organizationId, { concurrentTestAttempts: 2 });
  });
  await addCase({ callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }], attemptsPerRun: 4 });
  const { id } = read<TestRun>(await startRun(), 201);
  const claimed = [await testAttempts.claim(), await testAttempts.claim()];
  assert.equal(await testAttempts.claim(), undefined);
  const [first, second] = claimed;
  assert.ok(first !== undefined && second !== undefined);
  await Promise.all([testAttempts.run(first), testAttempts.run(second)]);
  assert.equal((await getRun(id)).completedAttempts, 2);
  await carryAll();
  assert.equal((await getRun(id)).status, "completed");
});

test("cancelling ends waiting attempts and those in progress, keeps results, and is refused afterwards", async (t) => {
  const { addCase, startRun, getRun, server, suite } = await openLaboratory(t, { model: play });
  const testCase = { callerLines: ["Hello"], assertions: [{ type: "said", text: "You asked" }] };
  await addCase({ ...testCase, attemptsPerRun: 3 });
  const cancel = async (id: string) =>
    await server.request("POST", `/test-suites/${suite.id}/runs/${id}/cancel`);
  const queued = read<TestRun>(await startRun(), 201);
  assert.equal(read<TestRun>(await cancel(queued.id)).status, "cancelled");
  const { testAttempts } = server.modules;
  assert.equal(await testAttempts.claim(), undefined);

  const { id } = read<TestRun>(await startRun(), 201);
  const [first, second] = [await testAttempts.claim(), await testAttempts.claim()];
  assert.ok(first !== undefined && second !== undefined);
  await testAttempts.run(first);
  const { status, passedTests, failedTests, completedAt } = read<TestRun>(await cancel(id));
  // What it would have stored comes too late.
  await testAttempts.run(second);
  assert.deepEqual([status, passedTests, failedTests], ["cancelled", 0, 0]);
  assert.notEqual(completedAt, null);
  const { attempts } = await getRun(id);
  assert.deepEqual(
    attempts.map(({ result }) => result),
    ["pass", "cancelled", "cancelled"],
  );
  assert.deepEqual(refusalOf(await cancel(id)), [409, "run_not_cancellable"]);
});

test("an attempt whose node is lost runs once more, and then is an error", async (t) => {
  let nowMs = Date.now();
  const { addCase, startRun, getRun, carryAll, server } = await openLaboratory(t, {
    model: play,
    options: { clock: { now: () => new Date(nowMs) } },
  });
  await addCase({ callerLines: ["Hello"], assertions: [{ type: "said", text: "You asked" }] });
  const { testAttempts } = server.modules;
  const lose = async (): Promise<void> => {
    assert.notEqual(await testAttempts.claim(), undefined);
    assert.equal(await testAttempts.claim(), undefined);
    nowMs += CLAIM_MS + 1;
  };
  const once = read<TestRun>(await startRun(), 201);
  await lose();
  await carryAll();
  assert.equal((await getRun(once.id)).attempts[0]?.result, "pass");
  const twice = read<TestRun>(await startRun(), 201);
  await lose();
  await lose();
  await carryAll();
  const { status, attempts } = await getRun(twice.id);
  assert.deepEqual([status, attempts[0]?.result], ["completed", "error"]);
  assert.match(attempts[0]?.reasoning ?? "", /node was lost/);
});

test("a node that shuts down gives its attempts back", async (t) => {
  const { addCase, startRun, getRun, server } = await openLaboratory(t, { model: play });
  await addCase({ callerLines: ["Hello"], assertions: [{ type: "said", text: "You asked" }] });
  const { id } = read<TestRun>(await startRun(), 201);
  const { testAttempts } = server.modules;
  const claimed = await testAttempts.claim();
  assert.ok(claimed !== undefined);
  const running = testAttempts.run(claimed);
  testAttempts.close();
  await running;
  const { status, attempts } = await getRun(id);
  assert.deepEqual([status, attempts[0]?.result, attempts[0]?.startedAt], ["running", null, null]);
});

test("the limit of turns ends a conversation, which is then judged", async (t) => {
  const { addCase, run } = await openLaboratory(t, {
    model: (request) => {
      if (partOf(request) === "tester") return { text: "And then?" };
      return { text: "More." };
    },
    suite: { maxTurns: 3 },
  });
  await addCase({ script: "Never stop.", assertions: [{ type: "end_reason", endReason: "turn_limit" }] });
  const { attempts } = await run();
  const [endless] = attempts;
  assert.equal(endless?.result, "pass", JSON.stringify(endless));
  assert.equal(endless.transcript.filter(({ role }) => role === "user").length, 3);
});

test("a run has at most 1,000 attempts, and a suite of another organization does not exist", async (t) => {
  const { addCase, startRun, server, suite } = await openLaboratory(t, { model: play });
  const fields = { callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }] };
  const first = await addCase({ ...fields, attemptsPerRun: 20 });
  for (let index = 1; index < 51; index++) await addCase({ ...fields, attemptsPerRun: 20 });
  assert.deepEqual(refusalOf(await startRun()), [400, "invalid_body", "testCaseIds"]);
  const { totalAttempts } = read<TestRun>(await startRun({ testCaseIds: [first.id] }), 201);
  assert.equal(totalAttempts, 20);
  const other = await server.createOrganization();
  const path = `/test-suites/${suite.id}`;
  for (const [method, url, body] of [
    ["GET", path, undefined],
    ["GET", `${path}/tests/${first.id}`, undefined],
    ["POST", `${path}/runs`, {}],
  ] as const)
    assert.deepEqual(refusalOf(await server.request(method, url, body, other.apiKey)), [404, "not_found"]);
  const foreign = { name: "Theirs", agentId: suite.agentId };
  assert.deepEqual(refusalOf(await server.request("POST", "/test-suites", foreign, other.apiKey)), [
    400,
    "invalid_body",
    "agentId",
  ]);
});

test("attempts of an organization whose billing has become inactive are errors", async (t) => {
  const { addCase, startRun, carryAll, getRun, server } = await openLaboratory(t, { model: play });
  await addCase({ callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }] });
  const { id } = read<TestRun>(await startRun(), 201);
  const { organizationId, modules } = server;
  await modules.organizations.setBillingActive(organizationId, false);
  await carryAll();
  await modules.organizations.setBillingActive(organizationId, true);
  const { attempts } = await getRun(id);
  assert.deepEqual(
    [attempts[0]?.result, attempts[0]?.reasoning],
    ["error", "The organization's billing is inactive."],
  );
});

test("a case without a script or a way to decide is refused, and so is an assertion without its fields", async (t) => {
  const { server, suite } = await openLaboratory(t);
  const create = async (fields: object) =>
    refusalOf(await server.request("POST", `/test-suites/${suite.id}/tests`, { name: "Case", ...fields }));
  const lines = { callerLines: ["Hello"] };
  const said = { type: "said", text: "Hello" };
  const mock = { toolName: "a", answers: [{ text: "" }] };
  assert.deepEqual(await create({}), [400, "invalid_body", "script", "scoringRubric"]);
  assert.deepEqual(await create({ ...lines, assertions: [{ type: "said" }] }), [
    400,
    "invalid_body",
    "assertions.0.text",
  ]);
  assert.deepEqual(await create({ ...lines, assertions: [said, { ...said, maxMs: 1 }] }), [
    400,
    "invalid_body",
    "assertions.1.maxMs",
  ]);
  assert.deepEqual(
    await create({ ...lines, assertions: [{ type: "order", sequence: [{ text: "a" }, {}] }] }),
    [400, "invalid_body", "assertions.0.sequence.1"],
  );
  assert.deepEqual(
    await create({ ...lines, assertions: [said], toolMocks: [mock, { ...mock, arguments: { a: 1 } }] }),
    [400, "invalid_body", "toolMocks.1"],
  );
  assert.deepEqual(await create({ ...lines, assertions: [said], attemptsPerRun: 21 }), [
    400,
    "invalid_body",
    "attemptsPerRun",
  ]);
});

test("a run is compared with the one before it, or with a named one", async (t) => {
  const { addCase, run, server, suite } = await openLaboratory(t, {
    model: ({ messages }) => ({ text: messages[0]?.content ?? "" }),
    agent: { promptTemplate: "We are {{state}}.", defaultVariables: { state: "closed" } },
  });
  await addCase({ callerLines: ["Hello"], assertions: [{ type: "said", text: "open" }] });
  const before = await run();
  const after = await run({ variables: { state: "open" } });
  const path = `/test-suites/${suite.id}/runs`;
  const compare = async (id: string, query = "") =>
    await server.request("GET", `${path}/${id}/comparison${query}`);
  const { baseRunId, tests } = read<TestRunComparison>(await compare(after.id));
  assert.equal(baseRunId, before.id);
  assert.deepEqual(
    tests.map(({ change, run: now, base }) => [change, now?.passRate, base?.passRate]),
    [["better", 1, 0]],
  );
  assert.equal(read<TestRunComparison>(await compare(before.id)).baseRunId, null);
  const [worse] = read<TestRunComparison>(await compare(before.id, `?base=${after.id}`)).tests;
  assert.equal(worse?.change, "worse");
  assert.deepEqual(refusalOf(await compare(after.id, `?base=${suite.id}`)), [400, "invalid_query", "base"]);
});

test("a case made from a past call passes against the agent that held it", async (t) => {
  const { run, server, suite, agentId } = await openLaboratory(t, { model: play });
  const path = `/test-suites/${suite.id}/tests/from-call`;
  const { callId, conversationId } = await openTestCall(server, { agentId });
  assert.deepEqual(refusalOf(await server.request("POST", path, { callId })), [409, "call_not_ended"]);
  const said = { type: "message", startMs: 0, endMs: 0 } as const;
  await server.modules.conversations.appendItems(
    conversationId,
    [
      { ...said, id: "1", role: "agent", text: "Miller, hello." },
      { ...said, id: "2", role: "user", text: "Where is order 1?" },
    ],
    new Date(),
  );
  await server.modules.calls.finish(callId, {
    status: "completed",
    endReason: "user_hangup",
    endedAt: new Date(),
  });
  const created = read<TestCase>(await server.request("POST", path, { callId, name: "Again" }), 201);
  assert.deepEqual([created.name, created.callerLines], ["Again", ["Where is order 1?"]]);
  assert.equal((await run()).passedTests, 1);
  const other = await server.createOrganization();
  assert.deepEqual(refusalOf(await server.request("POST", path, { callId }, other.apiKey)), [
    404,
    "not_found",
  ]);
  const nothing = { callId: agentId };
  assert.deepEqual(refusalOf(await server.request("POST", path, nothing)), [400, "invalid_body", "callId"]);
});

test("a case made from a conversation by text, but not from a call's conversation by its id, nor of nothing", async (t) => {
  const { run, server, suite, agentId } = await openLaboratory(t, { model: play });
  const path = `/test-suites/${suite.id}/tests/from-call`;
  const create = async (body: object) => await server.request("POST", path, body);
  const { modules, database, organizationId } = server;
  const said = { type: "message", startMs: 0, endMs: 0 } as const;
  const ids: Record<string, string> = {};
  for (const channel of ["sms", "web_chat"] as const) {
    const { id } = await modules.conversations.create(database, {
      organizationId,
      agentId,
      agentRevision: null,
      configurationRevision: 1,
      environment: null,
      channel,
      variables: {},
      createdAt: new Date("2026-11-23T10:00:00Z"),
    });
    ids[channel] = id;
    const empty = refusalOf(await create({ conversationId: id }));
    assert.deepEqual(empty, [400, "invalid_body", "conversationId"]);
    await modules.conversations.appendItems(
      id,
      [
        { ...said, id: "1", role: "user", text: "Where is order 1?" },
        { ...said, id: "2", role: "agent", text: "You asked." },
        { ...said, id: "3", role: "user", text: "Thanks." },
      ],
      new Date(),
    );
    const created = read<TestCase>(await create({ conversationId: id }), 201);
    assert.deepEqual(created.callerLines, ["Where is order 1?", "Thanks."]);
    assert.equal(created.name, `${channel === "sms" ? "Messages" : "Chat"} of 2026-11-23 10:00 UTC`);
  }
  assert.equal((await run({ mode: "sms" })).passedTests, 2);
  const { callId, conversationId } = await openTestCall(server, { agentId });
  assert.deepEqual(refusalOf(await create({ conversationId })), [400, "invalid_body", "conversationId"]);
  assert.deepEqual(refusalOf(await create({ conversationId: agentId })), [
    400,
    "invalid_body",
    "conversationId",
  ]);
  for (const body of [{}, { callId, conversationId: ids["sms"] }])
    assert.deepEqual(refusalOf(await create(body)), [400, "invalid_body", "callId"]);
  const other = await server.createOrganization();
  const theirs = await modules.testSuites.create(
    { organizationId: other.organizationId, role: "admin", actor: { type: "api_key", name: "test" } },
    {
      name: "Theirs",
      agentId: (
        await modules.agents.create({ ...other, actor: { type: "api_key", name: "test" } }, { name: "Eve" })
      ).id,
    },
  );
  const stolen = await server.request(
    "POST",
    `/test-suites/${theirs.id}/tests/from-call`,
    { conversationId: ids["sms"] },
    other.apiKey,
  );
  assert.deepEqual(refusalOf(stolen), [400, "invalid_body", "conversationId"]);
});

test("deleting a suite ends its runs, and its calls and conversations are kept", async (t) => {
  const { addCase, startRun, server, suite } = await openLaboratory(t, { model: play });
  await addCase({ callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }] });
  read(await startRun(), 201);
  const { testAttempts } = server.modules;
  const claimed = await testAttempts.claim();
  assert.ok(claimed !== undefined);
  const running = testAttempts.run(claimed);
  await waitFor("the conversation", async () => {
    const { data } = (await server.request("GET", "/conversations")).body as { data: unknown[] };
    return data.length === 1;
  });
  read(await server.request("DELETE", `/test-suites/${suite.id}`));
  await running;
  assert.equal(await testAttempts.claim(), undefined);
  assert.deepEqual(refusalOf(await startRun()), [404, "not_found"]);
});
