/** For tests: an organization whose agent is tested by a scripted language model. */
import type { TestContext } from "node:test";
import type { AgentCreation, TestCase, TestRun, TestRunDetail, TestSuite } from "@parley/contract";
import {
  type ScriptedChatOptions,
  type ScriptedChatRequest,
  startScriptedOpenAi,
} from "@parley/providers/testing";
import { read } from "../messages/testing.ts";
import { createTestServer, type TestResponse, type TestServer, type TestServerOptions } from "../testing.ts";

export interface TestLaboratory {
  server: TestServer;
  agentId: string;
  suite: TestSuite;
  /** Sends `POST /test-suites/{id}/tests`. */
  addCase: (fields: object) => Promise<TestCase>;
  /** Sends `POST /test-suites/{id}/runs`. */
  startRun: (body?: object) => Promise<TestResponse>;
  /** Starts a run that must be accepted, carries all its attempts, and returns it. */
  run: (body?: object) => Promise<TestRunDetail>;
  getRun: (id: string) => Promise<TestRunDetail>;
  /** Carries the attempts that wait, side by side. */
  carryAll: () => Promise<void>;
}

/** Opens a suite of mode `chat`. Without `model` no language model is configured. */
export async function openLaboratory(
  t: TestContext,
  {
    model,
    fault,
    agent = {},
    suite = {},
    options = {},
  }: {
    model?: ScriptedChatOptions["reply"];
    /** Fault of the model's requests. */
    fault?: ScriptedChatOptions["fault"];
    agent?: Partial<AgentCreation>;
    suite?: object;
    options?: TestServerOptions;
  } = {},
): Promise<TestLaboratory> {
  const scripted = model && (await startScriptedOpenAi({ reply: model, ...(fault && { fault }) }));
  t.after(async () => await scripted?.close());
  const server = await createTestServer({
    ...(scripted !== undefined && { languageModelUrl: `${scripted.url}/v1` }),
    ...options,
  });
  t.after(async () => await server.close());
  const { modules } = server;
  const created = await modules.agents.create(server, {
    name: "Ada",
    firstMessage: "Miller, hello.",
    ...agent,
  });
  const body = { name: "Orders", agentId: created.id, mode: "chat", ...suite };
  const own = read<TestSuite>(await server.request("POST", "/test-suites", body), 201);
  const path = `/test-suites/${own.id}`;
  const getRun: TestLaboratory["getRun"] = async (id) =>
    read<TestRunDetail>(await server.request("GET", `${path}/runs/${id}`));
  const startRun: TestLaboratory["startRun"] = async (request = {}) =>
    await server.request("POST", `${path}/runs`, request);
  const carryAll = async (): Promise<void> => {
    const running: Promise<void>[] = [];
    const { testAttempts } = modules;
    for (let next = await testAttempts.claim(); next !== undefined; next = await testAttempts.claim())
      running.push(testAttempts.run(next));
    await Promise.all(running);
  };
  return {
    server,
    agentId: created.id,
    suite: own,
    addCase: async (fields) =>
      read<TestCase>(await server.request("POST", `${path}/tests`, { name: "Case", ...fields }), 201),
    startRun,
    getRun,
    carryAll,
    run: async (request) => {
      const { id } = read<TestRun>(await startRun(request), 201);
      await carryAll();
      return await getRun(id);
    },
  };
}

/** Which part of a test a request to the scripted model is for. */
export function partOf({ messages }: ScriptedChatRequest): "tester" | "judge" | "agent" {
  const system = messages[0]?.content ?? "";
  if (system.startsWith("You play a person")) return "tester";
  return system.startsWith("You judge a conversation") ? "judge" : "agent";
}
