import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { after, before, describe, test } from "node:test";
import type { ScriptedChatReply, ScriptedChatRequest } from "@parley/providers/testing";
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
    await (await page.waitForSelector(`main ::-p-text(${words})`, { visible: true }))?.click();
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
      assert.match((await run(["--suite", "None"])).output, /no test suite with the name or id None/);
      assert.equal((await run([])).status, 2);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
