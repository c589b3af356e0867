import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { readWav } from "@parley/audio";
import type { CallDetail } from "@parley/contract";
import { callerLines } from "../../apps/server/src/demo/demo-agent.ts";
import { Telephone } from "../../apps/server/src/demo/telephone.ts";
import { waitFor } from "@parley/testing";
import { Platform } from "../support/platform/platform.ts";

const CALL_DEADLINE_MS = 60_000;

/** Commands of the README for the second terminal, by block. */
async function readBlocks(): Promise<{ setUp: string; agent: string; calls: string; outbound: string }> {
  const text = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, section = ""] = /\n## Your first agent[^\n]*\n([\s\S]*?)\n## /.exec(text) ?? [];
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const [, setUp = "", agent = "", calls = "", , outbound = ""] = blocks;
  return { setUp, agent, calls, outbound };
}

async function runBash(script: string): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const child = spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const status = await new Promise((resolve) => child.once("close", resolve));
  return { status, stdout, stderr };
}

describe("the README's second terminal", () => {
  let platform: Platform;
  let telephone: Telephone;

  before(async () => {
    platform = await Platform.start();
    const [line] = callerLines;
    const url = new URL(`../../apps/server/src/demo/recordings/${line?.recording}`, import.meta.url);
    const { pcm } = readWav(await readFile(url));
    telephone = await Telephone.listen({ sipPort: 0, lines: [pcm], onCall: () => {} });
  });

  after(async () => {
    await telephone.close();
    await platform.stop();
  });

  /** The command as pasted, with the key and addresses of this test. */
  function adapt(script: string, apiKey: string): string {
    return script
      .replace("parley_…", apiKey)
      .replaceAll("localhost:8080", `127.0.0.1:${platform.httpPort}`)
      .replaceAll("127.0.0.1:5170", telephone.address)
      .replaceAll(/sleep \d+/g, "sleep 1");
  }

  test("creates an agent with a number that calls the demo's telephone, which answers", async () => {
    const { setUp, agent, calls, outbound } = await readBlocks();
    const script = `${setUp}\n${agent}\n${calls}\n${outbound}\necho; echo "call=$CALL"`;
    const { status, stdout, stderr } = await runBash(adapt(script, platform.apiKey));
    assert.deepEqual([status, stderr], [0, ""]);
    const [, callId = ""] = /call=(\S+)/.exec(stdout) ?? [];
    const readCall = async (): Promise<CallDetail> => await platform.api.getCall(callId);
    const heard = await waitFor(
      "what the person who was called says",
      async () => (await readCall()).transcript.find(({ role }) => role === "user")?.text,
      CALL_DEADLINE_MS,
    );
    assert.match(heard, /what time do you open/i);
    await platform.api.hangUpCall(callId);
  });

  test("shows the error and stops if the key is wrong", async () => {
    const { setUp, agent } = await readBlocks();
    const { status, stdout, stderr } = await runBash(adapt(`${setUp}\n${agent}`, "parley_wrong"));
    assert.notEqual(status, 0);
    assert.match(stderr, /^Refused: \{"error":"unauthorized".*A valid API key in the x-api-key header/m);
    assert.match(stderr, /TRUNK: parameter null or not set/);
    assert.doesNotMatch(stderr, /curl: \(3\)/);
    assert.doesNotMatch(stdout, /"data"/);
  });
});
