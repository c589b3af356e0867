import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { after, before, describe, test } from "node:test";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { UsageError } from "../../tools/operator/commands.ts";
import { readTestCommand } from "../../tools/test-suites/options.ts";
import { runTests } from "../../tools/test-suites/run-tests.ts";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

/** The agent looks an order up; the judge finds that good. */
function reply({ messages, lastUserText, responseFormat }: ScriptedChatRequest): ScriptedChatReply {
  if (responseFormat !== undefined || messages[0]?.content.startsWith("You judge") === true)
    return {
      text: JSON.stringify({
        reason: "The agent said that the order has been shipped.",
        evidence: ["has been shipped"],
        verdict: "pass",
      }),
    };
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `Your order has been ${last.content}.` };
  if (lastUserText.includes("order")) return { toolCalls: [{ name: "look_up", input: { number: "1234" } }] };
  return { text: "You are welcome." };
}

describe("the pages of test suites", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let providers: ScriptedProviders;
  let agentId: string;
  let suiteId: string;

  before(async () => {
    providers = await startScriptedProviders("Thank you.", reply);
    platform = await Platform.start({ env: providers.env });
    chromium = await Chromium.launch();
    ({ agentId } = await createAgent(platform, { voiceId: null, firstMessage: "Railway club, hello." }));
    await platform.api.createCustomTool(agentId, {
      name: "look_up",
      webhookUrl: "https://shop.example/orders",
      schema: {
        description: "Looks an order up.",
        parameters: { type: "object", properties: { number: { type: "string" } } },
      },
    });
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    await providers.close();
  });

  async function open(address: string, key = platform.apiKey) {
    const { page, problems } = await chromium.open(`${platform.url}${address}#key=${key}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  async function follow({ page }: ParleyPage, words: string): Promise<void> {
    await page.locator(`main ::-p-text(${words})`).click();
  }

  test("lead from none to a scripted case with a mocked tool, and to a run that says why it passed", async () => {
    const { shown, page, problems } = await open("/test-suites");
    await shown.waitForText("No test suites yet");
    await follow(shown, "Create a test suite");
    await shown.waitForText("New test suite");
    await shown.press("Create test suite");
    await shown.waitForText("is required");
    await shown.fill("name", "Orders");
    await shown.choose("agentId", "Railway club");
    await shown.press("Create test suite");
    await follow(shown, "Add the first case");
    await shown.fill("name", "Asks for an order");
    await follow(shown, "Fixed lines");
    await shown.fill("callerLines.0", "Where is my order?");
    await shown.press("Add a line");
    await shown.fill("callerLines.1", "Thank you");
    await shown.press("Add an assertion");
    await shown.choose("assertions.0.type", "The agent calls a tool");
    await shown.fill("assertions.0.toolName", "look_up");
    await shown.fill("assertions.0.arguments", "number 1234");
    await shown.press("Create case");
    await shown.waitForText("must be a JSON object");
    await shown.fill("assertions.0.arguments", '{"number": "1234"}');
    await shown.press("Add an assertion");
    await shown.fill("assertions.1.text", "has been shipped");
    await shown.fill("callerConditions.packetLossPercent", "5");
    await shown.fill("scoringRubric", "The agent says that the order has been shipped.");
    await shown.fill("toolMocks", '[{"toolName": "look_up", "answers": [{"text": "shipped"}]}]');
    assert.deepEqual(await shown.inspect("case-new"), []);
    await shown.press("Create case");
    await shown.waitForText("2 assertions and a judge");
    suiteId = new URL(page.url()).pathname.split("/")[2] ?? "";
    const [created] = await platform.api.listTestCases(suiteId);
    assert.equal(created?.callerConditions.packetLossPercent, 5);
    await shown.press("Run the suite");
    await shown.waitForText("Draft (as saved)");
    await shown.press("Start the run");
    await shown.waitForText("The agent said that the order has been shipped.");
    await page.waitForSelector("mark ::-p-text(has been shipped)");
    assert.match(await shown.text(".checks"), /Tool called look_up with .* was called once/);
    assert.deepEqual(await shown.inspect("run"), []);
    assert.deepEqual(problems, []);
  });

  test("show what got worse between two runs, and the passed cases of each revision", async () => {
    const [testCase] = await platform.api.listTestCases(suiteId);
    assert.ok(testCase);
    await platform.api.updateTestCase(suiteId, testCase.id, {
      assertions: [{ type: "not_said", text: "has been shipped" }],
      attemptsPerRun: 2,
    });
    const { shown, page, problems } = await open(`/test-suites/${suiteId}/tests/${testCase.id}`);
    await shown.press("Run this case");
    await shown.press("Start the run");
    await shown.waitForText("Failed");
    await page.waitForSelector(".attempt-mark.fail");
    await shown.waitForText('The agent said "has been shipped".');
    await follow(shown, "Runs of the suite");
    await shown.waitForText("Passed cases by revision");
    assert.deepEqual(await shown.inspect("suite-runs"), []);
    await follow(shown, "Compare two runs");
    await shown.waitForText("Worse");
    assert.deepEqual(await shown.inspect("runs-compared"), []);
    assert.deepEqual(problems, []);
  });

  test("play the sound of a run by voice, whose transcript fills in while it is held", async () => {
    const run = await platform.api.startTestRun(suiteId, { mode: "voice", name: "By voice" });
    const { shown, page, problems } = await open(`/test-suites/${suiteId}/runs/${run.id}`);
    await shown.waitForText("Railway club, hello.");
    await page.waitForSelector("::-p-text(Cancel the run)");
    await page.waitForSelector("main a ::-p-text(Compare)", { timeout: 60_000 });
    await (await page.waitForSelector('button[aria-label="Play"]', { timeout: 60_000 }))?.click();
    await page.waitForFunction("document.querySelector('audio').currentTime > 0.2");
    const [attempt] = (await platform.api.getTestRun(suiteId, run.id)).attempts;
    const call = await platform.api.getCall(attempt?.inboundCallId ?? "");
    assert.deepEqual([call.isTest, call.recordingStatus], [true, "ready"]);
    assert.equal(await page.$eval("audio", (audio) => audio.error), null);
    assert.deepEqual(problems, []);
  });

  test("a closed gate is shown, and only admins can publish anyway", async () => {
    const { api } = platform;
    const { id: gatedId } = await api.createAgent({ name: "Gated", publishMode: "manual" });
    await api.updateAgent(gatedId, { promptTemplate: "Be kind." });
    const gate = await api.createTestSuite({ name: "Gate", agentId: gatedId, isReleaseGate: true });
    const { key } = await api.createApiKey({ name: "Member", role: "member" });
    const address = `/agents/${gatedId}/versions`;
    const member = await open(address, key);
    await member.shown.press("Publish the draft");
    await member.shown.waitForText("Not published: test suites must pass first");
    await member.shown.waitForText(`“${gate.name}”`);
    assert.equal(await member.page.$("main ::-p-text(Publish anyway)"), null);
    const { shown, page } = await open(address);
    await shown.press("Publish the draft");
    await shown.press("Publish anyway");
    await page.locator("[role=dialog] button ::-p-text(Publish anyway)").click();
    await shown.waitForText("New calls run on revision");
    assert.equal((await api.getAgent(gatedId)).hasUnpublishedChanges, false);
  });

  test("a role that only reads sees cases and runs without their buttons", async () => {
    const { key } = await platform.api.createApiKey({ name: "Reader", role: "read" });
    const { shown, page, problems } = await open(`/test-suites/${suiteId}`, key);
    await shown.waitForText("Asks for an order");
    assert.equal(await page.$("main ::-p-text(Run the suite)"), null);
    assert.equal(await page.$("main ::-p-text(Add a case)"), null);
    await follow(shown, "Settings");
    await shown.waitForText("Your role may read this test suite, not change it.");
    assert.deepEqual(problems, []);
  });

  test("run from the command line, which reports failures by its exit status and as JUnit XML and Markdown", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "parley-reports-"));
    const [junit, summary] = ["out.xml", "out.md"].map((name) => path.join(folder, name));
    const run = async (words: readonly string[]) =>
      await promisify(execFile)(process.execPath, ["tools/parley.ts", "test", ...words], {
        env: { ...process.env, PARLEY_URL: platform.url, PARLEY_API_KEY: platform.apiKey },
      }).then(
        ({ stdout }) => ({ status: 0, output: stdout }),
        ({ code, stdout, stderr }) => ({ status: Number(code), output: `${stdout}${stderr}` }),
      );
    try {
      const [testCase] = await platform.api.listTestCases(suiteId);
      const failed = await run(["--suite", "Orders", "--junit", junit ?? "", "--summary", summary ?? ""]);
      assert.equal(failed.status, 1, failed.output);
      assert.match(failed.output, /fail +Asks for an order, attempt 1: The agent said "has been shipped"/);
      assert.match(await readFile(junit ?? "", "utf8"), /<testsuites tests="2" failures="2"/);
      assert.match(await readFile(summary ?? "", "utf8"), /^## Failed: Orders/);
      await platform.api.updateTestCase(suiteId, testCase?.id ?? "", { assertions: [], attemptsPerRun: 1 });
      const passed = await run(["--suite", suiteId, "--variable", "number=1234"]);
      assert.equal(passed.status, 0, passed.output);
      assert.match(passed.output, /## Passed: Orders/);
      assert.equal((await run(["--suite", "None"])).status, 2);
      for (const [words, problem] of [
        [["--suite", "None"], /no test suite with the name or id None/],
        [["--suite", suiteId, "--environment", "nowhere"], /refused the command: .*environment/i],
        [["--suite", suiteId, "--api-key", "parley_wrong"], /refused the command: .*key/i],
        [["--suite", suiteId, "--url", "http://127.0.0.1:9"], /No node answers at/],
      ] as const) {
        const variables = { PARLEY_URL: platform.url, PARLEY_API_KEY: platform.apiKey };
        const refused = async (): Promise<boolean> =>
          await runTests(readTestCommand(words, variables), () => {}, new AbortController().signal);
        await assert.rejects(refused, (error) => error instanceof UsageError && problem.test(error.message));
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("cancel the run at the server on Ctrl-C and at --timeout", async () => {
    const slow = await platform.api.createTestSuite({ name: "Slow", agentId, mode: "chat" });
    await platform.api.createTestCase(slow.id, {
      name: "Waits",
      callerLines: ["Where is my order?"],
      toolMocks: [{ toolName: "look_up", answers: [{ text: "shipped", delayMs: 15_000 }] }],
      assertions: [{ type: "said", text: "shipped" }],
    });
    const start = (...words: string[]) => {
      const child = spawn(process.execPath, ["tools/parley.ts", "test", "--suite", "Slow", ...words], {
        env: { ...process.env, PARLEY_URL: platform.url, PARLEY_API_KEY: platform.apiKey },
        stdio: ["ignore", "pipe", "inherit"],
      });
      return { child, exit: once(child, "exit") };
    };
    const interrupted = start();
    await waitFor("the conversation", async () => {
      const [run] = (await platform.api.listTestRuns(slow.id, { includeAttempts: true })).data;
      return run?.attempts?.[0]?.transcript.some(({ type }) => type === "message");
    });
    interrupted.child.kill("SIGINT");
    assert.deepEqual(await interrupted.exit, [130, null]);
    const late = start("--timeout", "0.005");
    assert.deepEqual(await late.exit, [1, null]);
    const { data } = await platform.api.listTestRuns(slow.id, {});
    assert.deepEqual(
      data.map(({ status }) => status),
      ["cancelled", "cancelled"],
    );
  });
});
