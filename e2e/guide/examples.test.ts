import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { startScriptedOpenAi, type ScriptedServer } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { findCall, textOf } from "../support/platform/agents.ts";
import { receive, receiveInvite, respond, startCarrier } from "../support/phone/carrier.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { assertSuitesPass } from "../support/platform/example-suites.ts";
import { Platform } from "../support/platform/platform.ts";
import { readRecording } from "../support/audio/recordings.ts";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

/** Runs an example by the command in its README, until it ends or is killed. */
class Example {
  readonly process: ChildProcess;
  output = "";

  constructor(platform: Platform, name: string, ...args: readonly string[]) {
    const options = ["-r", "./tools/require-node.cjs", `examples/${name}.ts`, ...args];
    const env = { ...process.env, PARLEY_URL: platform.url, PARLEY_API_KEY: platform.apiKey };
    this.process = spawn(process.execPath, options, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.on("data", (chunk) => (this.output += String(chunk)));
  }

  async toPrint(text: RegExp): Promise<void> {
    await waitFor(`${text} in what the example prints`, () => text.test(this.output), 30_000);
  }
}

describe("the examples", () => {
  let platform: Platform;
  let model: ScriptedServer;
  const running: Example[] = [];

  before(async () => {
    // Looks order 1001 up if it can, then says what it was told; otherwise when there are appointments.
    model = await startScriptedOpenAi({
      reply: ({ messages, tools }) => {
        if (!tools.includes("find_order")) return { text: "Monday to Friday from eight to four." };
        const answers = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
        const answer = answers.findLast(({ role }) => role === "tool");
        if (answer !== undefined) return { text: `It is ${answer.content}.` };
        return { toolCalls: [{ name: "find_order", input: { number: "1001" } }] };
      },
    });
    platform = await Platform.start({
      env: {
        PARLEY_LLM_BASE_URL: `${model.url}/v1`,
        PARLEY_LLM_MODEL: "scripted",
        PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true",
      },
    });
  });

  after(async () => {
    for (const example of running) example.process.kill();
    await platform.stop();
    await model.close();
  });

  test("the appointment line is an agent on its number", async () => {
    const example = new Example(platform, "appointment-line");
    running.push(example);
    await example.toPrint(/Call \+12025550150/);
    const { data } = await platform.api.listAgents();
    const agent = data.find(({ name }) => name === "Appointment line");
    assert.deepEqual(
      agent?.phoneNumbers.map(({ e164 }) => e164),
      ["+12025550150"],
    );
  });

  test("the order's status comes from the example's own server", async () => {
    const example = new Example(platform, "order-status");
    running.push(example);
    await example.toPrint(/Call \+12025550151/);
    const from = "+12025550190";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number: "+12025550151", from });
    try {
      await greeted(platform, caller);
      await caller.say(await readRecording("go-forward.wav"));
      await example.toPrint(/POST \/orders: sent yesterday/);
      await waitFor(
        "the order's status in the transcript",
        async () => {
          const call = await findCall(platform, from);
          return call !== undefined && textOf(call, "agent").includes("arrives tomorrow");
        },
        20_000,
      );
      await caller.hangUp();
    } finally {
      await caller.close();
    }
  });

  test(
    "the reminder calls by the trunk that it is given, and says how that went",
    { skip: skipWithout("sipp") },
    async (context) => {
      const carrier = await startCarrier(context, [
        receiveInvite(),
        respond({ status: "486 Busy Here" }),
        receive("ACK"),
      ]);
      const example = new Example(platform, "outbound-reminder", `127.0.0.1:${carrier.port}`, "+12025550199");
      running.push(example);
      await example.toPrint(/busy \(dial_busy\)/);
      await carrier.done;
    },
  );

  test("their agents pass the suites of the examples", async () => {
    await assertSuitesPass(
      platform,
      platform.apiKey,
      ["Appointment line", "Order status", "Reminder"].map((name) => `Example: ${name}`),
    );
  });
});
