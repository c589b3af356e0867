import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import test, { after, before, suite } from "node:test";
import { waitFor } from "@parley/testing";

let folder = "";
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-planted-"));
});
after(async () => await rm(folder, { recursive: true, force: true }));

interface Run {
  child: ChildProcess;
  file: string;
  /** What was printed, and the exit code. */
  ended: Promise<{ output: string; code: number | null; file: string }>;
}

/** `npm test -- FILE` for a file of this text. */
async function startPlanted(source: string, ...options: string[]): Promise<Run> {
  const file = path.join(folder, `planted-${crypto.randomUUID()}.test.ts`);
  await writeFile(file, `import test, { after } from "node:test";\n${source}`);
  // Node runs no tests inside tests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ["tools/test.ts", "--unit", ...options, file], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const ended = text(child.stdout).then(async (output) => {
    const [code]: (number | null)[] = await exited;
    return { output, code: code ?? null, file };
  });
  return { child, file, ended };
}

async function runPlanted(source: string, ...options: string[]): Promise<Awaited<Run["ended"]>> {
  return await (
    await startPlanted(source, ...options)
  ).ended;
}

const leaks: Record<string, { source: string; report: RegExp }> = {
  server: {
    source: `import { createServer } from "node:net";
      test("opens", () => { createServer().listen({ port: 0, host: "127.0.0.1" }); });`,
    report: /TCPSERVERWRAP at 127\.0\.0\.1:\d+/,
  },
  "UDP socket": {
    source: `import { createSocket } from "node:dgram";
      import { once } from "node:events";
      test("opens", async () => { await once(createSocket("udp4").bind(0, "127.0.0.1"), "listening"); });`,
    report: /UDPWRAP at 127\.0\.0\.1:\d+, created\n.*planted-.*:4:/,
  },
  timer: {
    source: `test("opens", () => { setInterval(() => {}, 60_000); });`,
    report: /timers: 1 \(npm test -- --trace-timers FILE/,
  },
  worker: {
    source: `import { Worker } from "node:worker_threads";
      test("opens", () => { new Worker("setInterval(() => {}, 60_000)", { eval: true }); });`,
    report: /WORKER, created\n.*planted-.*:3:/,
  },
  "child process": {
    source: `import { spawn } from "node:child_process";
      test("opens", () => { spawn("sleep", ["77"]); });`,
    report: /PROCESSWRAP \d+: sleep 77, created\n.*planted-.*:3:/,
  },
  "process that its parent does not wait for": {
    source: `import { spawn } from "node:child_process";
      test("opens", () => { spawn("sleep", ["78"], { detached: true, stdio: "ignore" }).unref(); });`,
    report: /process \d+ outlived the file: sleep 78/,
  },
};

suite("what a test leaves alive", { concurrency: true }, () => {
  for (const [what, { source, report }] of Object.entries(leaks)) {
    test(`a file whose test leaves a ${what} alive fails by name`, async () => {
      const { output, code, file } = await runPlanted(source);
      assert.equal(code, 1, output);
      assert.match(output, report);
      assert.ok(output.includes(`Files that left something alive:\n  ${file}\n`), output);
      assert.match(output, /1 tests passed, 0 failed, 0 skipped; files that left something alive: 1/);
    });
  }

  test("a failed test that leaves its socket open is reported beside its leak", async () => {
    const { output, code } = await runPlanted(`
    import { createSocket } from "node:dgram";
    test("fails", () => { createSocket("udp4").bind(0, "127.0.0.1"); throw new Error("planted failure"); });`);
    assert.equal(code, 1, output);
    assert.match(output, /planted failure/);
    assert.match(output, /UDPWRAP at/);
    assert.match(output, /0 tests passed, 1 failed, 0 skipped; files that left something alive: 1/);
  });

  test("a file passes that closes what it opened in hooks of its own, however long they take", async () => {
    const { output, code } = await runPlanted(`
    import { createServer } from "node:net";
    const server = createServer();
    test("opens", () => { server.listen(0); });
    after(async () => { await new Promise((resolve) => setTimeout(resolve, 3_500)); });
    after(() => { server.close(); });`);
    assert.equal(code, 0, output);
    assert.match(output, /1 tests passed, 0 failed, 0 skipped; files that left something alive: 0/);
  });

  test("--trace-timers shows what started a timer", async () => {
    const { output, code } = await runPlanted(
      `test("opens", () => { setInterval(() => {}, 60_000); });`,
      "--trace-timers",
    );
    assert.equal(code, 1, output);
    assert.match(output, /Timeout, created\n.*planted-.*:2:/);
  });

  test("an interrupted run leaves no process of its tests", async () => {
    const pidFile = path.join(folder, "pid");
    const { child, ended } = await startPlanted(`
    import { spawn } from "node:child_process";
    import { writeFileSync } from "node:fs";
    test("waits", async () => {
      const child = spawn("sleep", ["79"], { detached: true });
      writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      await new Promise((resolve) => child.once("exit", resolve));
    });`);
    const pid = await waitFor(
      "the process",
      async () => Number(await readFile(pidFile, "utf8").catch(() => "")) || false,
    );
    child.kill("SIGINT");
    assert.equal((await ended).code, 1);
    await waitFor("the process to end", () => !existsSync(`/proc/${pid}`));
  });

  test("an unreferenced timer is no leak", async () => {
    const { output, code } = await runPlanted(
      `test("opens", () => { setInterval(() => {}, 60_000).unref(); });`,
    );
    assert.equal(code, 0, output);
  });
});
