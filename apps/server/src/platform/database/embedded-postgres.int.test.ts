import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { waitFor } from "@parley/testing";
import { Client } from "pg";
import { DatabaseUnavailableError, openDatabase } from "./database.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

async function createDataDirectory(context: TestContext): Promise<string> {
  // Private to the test's user, like a home directory: the database's own user cannot pass through it.
  const directory = await mkdtemp(path.join(tmpdir(), "parley-embedded-"));
  context.after(async () => await rm(directory, { recursive: true, force: true }));
  return path.join(directory, "data");
}

async function query(connectionString: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function readPid(dataDirectory: string): Promise<number> {
  const pidFile = await readFile(path.join(dataDirectory, "postgres", "postmaster.pid"), "utf8");
  return Number(pidFile.split("\n")[0]);
}

/** Starts a Parley that writes data and then runs until it is killed. */
async function startVictim(context: TestContext, dataDirectory: string) {
  const module = JSON.stringify(new URL("./embedded-postgres.ts", import.meta.url).href);
  const script = `
    import { Client } from "pg";
    import { startEmbeddedPostgres } from ${module};
    const { connectionString } = await startEmbeddedPostgres({ dataDirectory: ${JSON.stringify(dataDirectory)} });
    const client = new Client({ connectionString });
    await client.connect();
    await client.query("create table kept (line text)");
    await client.query("insert into kept values ('still here')");
    process.stdout.write("written");
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

test("a data directory closed to other users gets a database, with its password readable only by its owner", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  try {
    assert.deepEqual(await query(postgres.connectionString, "select 'Grüße' as text"), [{ text: "Grüße" }]);
    const { mode } = await stat(path.join(dataDirectory, "postgres.password"));
    assert.equal(mode & 0o777, 0o600);
    const wrong = new URL(postgres.connectionString);
    wrong.password = "guess";
    await assert.rejects(query(wrong.href, "select 1"), /authentication/);
  } finally {
    await postgres.close();
    await postgres.close();
  }
});

test("data is still present after a close and a second start", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const first = await startEmbeddedPostgres({ dataDirectory });
  await query(first.connectionString, "create table kept as select 42 as answer");
  await first.close();
  const second = await startEmbeddedPostgres({ dataDirectory });
  try {
    assert.equal(second.isAdopted, false);
    assert.deepEqual(await query(second.connectionString, "select answer from kept"), [{ answer: 42 }]);
  } finally {
    await second.close();
  }
});

test("the server of a killed Parley is adopted with all its data, and stopped at the end", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const victim = await startVictim(context, dataDirectory);
  victim.kill("SIGKILL");
  await once(victim, "exit");
  const orphanPid = await readPid(dataDirectory);
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  assert.equal(postgres.isAdopted, true);
  assert.equal(await readPid(dataDirectory), orphanPid);
  assert.deepEqual(await query(postgres.connectionString, "select line from kept"), [{ line: "still here" }]);
  await postgres.close();
  await assert.rejects(query(postgres.connectionString, "select 1"));
});

test("if the server was killed as well, committed data is recovered", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const victim = await startVictim(context, dataDirectory);
  process.kill(await readPid(dataDirectory), "SIGKILL");
  victim.kill("SIGKILL");
  await once(victim, "exit");
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  try {
    assert.deepEqual(await query(postgres.connectionString, "select line from kept"), [
      { line: "still here" },
    ]);
  } finally {
    await postgres.close();
  }
});

test("a pid file whose id belongs to another process does not prevent the start", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  await (await startEmbeddedPostgres({ dataDirectory })).close();
  await writeFile(path.join(dataDirectory, "postgres", "postmaster.pid"), `${process.pid}\n/x\n1\n5432\n`);
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  await postgres.close();
});

test("an interrupted creation starts again", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  await mkdir(path.join(dataDirectory, "postgres.new", "base"), { recursive: true });
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  await postgres.close();
});

test("a server that is killed is started again at its address, with its data and its lock", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const attempts: number[] = [];
  const postgres = await startEmbeddedPostgres({
    dataDirectory,
    onDied: (attempt) => attempts.push(attempt),
  });
  context.after(async () => await postgres.close());
  await query(postgres.connectionString, "create table kept as select 42 as answer");
  for (const deaths of [1, 2]) {
    process.kill(await readPid(dataDirectory), "SIGKILL");
    const answers = await waitFor("the server's return", async () =>
      attempts.length < deaths
        ? undefined
        : await query(postgres.connectionString, "select answer from kept").catch(() => undefined),
    );
    assert.deepEqual(answers, [{ answer: 42 }]);
    await waitFor(
      "the lock",
      async () =>
        (await query(postgres.connectionString, "select 1 from pg_locks where locktype = 'advisory'"))
          .length > 0,
    );
  }
  await postgres.close();
  await assert.rejects(query(postgres.connectionString, "select 1"));
});

test("a server that cannot be started again is reported as lost, and closing it does not hang", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  context.after(async () => await postgres.close());
  const pid = await readPid(dataDirectory);
  await rename(path.join(dataDirectory, "postgres"), path.join(dataDirectory, "gone"));
  process.kill(pid, "SIGKILL");
  assert.match((await postgres.lost).message, /cannot be started again: see .*postgres\.log/);
  await postgres.close();
});

test("closing ends attempts to start a dead server again", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const died = Promise.withResolvers<number>();
  const postgres = await startEmbeddedPostgres({ dataDirectory, onDied: died.resolve });
  process.kill(await readPid(dataDirectory), "SIGKILL");
  await died.promise;
  await postgres.close();
  await assert.rejects(query(postgres.connectionString, "select 1"));
});

test("a second Parley cannot use the same data directory", async (context) => {
  const dataDirectory = await createDataDirectory(context);
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  try {
    await assert.rejects(startEmbeddedPostgres({ dataDirectory }), /another Parley uses/);
  } finally {
    await postgres.close();
  }
});

test("the error for an unreachable database is one line that names it without its password", async () => {
  await assert.rejects(openDatabase("postgres://parley:geheim@127.0.0.1:9/calls"), (error: unknown) => {
    assert.ok(error instanceof DatabaseUnavailableError);
    assert.match(error.message, /^cannot connect to the database calls at 127\.0\.0\.1:9: .+$/);
    assert.ok(!error.message.includes("geheim"));
    return true;
  });
});
