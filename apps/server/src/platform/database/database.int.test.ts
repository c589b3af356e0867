import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import test from "node:test";
import { sql } from "drizzle-orm";
import { waitFor } from "@parley/testing";
import { inOrganization } from "../organization-scope.ts";
import { openDatabase } from "./database.ts";
import { createTestDatabase } from "./testing.ts";

/** More than the connections of the pool. */
const MORE_THAN_CONNECTIONS = 25;

/** Proxy between a pool and its database that cuts a connection when a given word is sent. */
class Cutter {
  /** Word that cuts the connection on which it is sent; `undefined` cuts none. */
  word: string | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async open(port: number): Promise<Cutter> {
    const cutter = new Cutter(port);
    cutter.#server.listen(0, "127.0.0.1");
    await once(cutter.#server, "listening");
    return cutter;
  }

  private constructor(port: number) {
    this.#server = createServer((socket) => {
      const upstream = connect(port, "127.0.0.1");
      for (const each of [socket, upstream]) {
        this.#sockets.add(each);
        each.on("error", () => {});
        each.on("close", () => [socket, upstream].forEach((end) => end.destroy()));
      }
      upstream.pipe(socket);
      socket.on("data", (chunk) => {
        if (this.word !== undefined && chunk.includes(this.word)) socket.destroy();
        else upstream.write(chunk);
      });
    });
  }

  get port(): number {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

for (const word of ["begin", "commit", "rollback"]) {
  test(`connections that break at ${word} are not lost to the pool`, async () => {
    const { connectionString, close } = await createTestDatabase();
    const url = new URL(connectionString);
    const cutter = await Cutter.open(Number(url.port));
    url.port = String(cutter.port);
    const database = await openDatabase(url.href);
    const work = async (): Promise<void> =>
      await database.transaction(async (transaction) => {
        await transaction.execute(sql`select 1`);
        if (word === "rollback") throw new Error("work failed");
      });
    cutter.word = word;
    for (let i = 0; i < MORE_THAN_CONNECTIONS; i++) await assert.rejects(work());
    cutter.word = undefined;
    await database.transaction(async (transaction) => await transaction.execute(sql`select 1`));
    assert.equal(database.$client.idleCount, database.$client.totalCount);
    await database.$client.end();
    cutter.close();
    await close();
  });
}

test("work inside a transaction cannot take a second connection; afterwards it can", async () => {
  const { database, close } = await createTestDatabase();
  const outliving = Promise.withResolvers<void>();
  let later: Promise<unknown> | undefined;
  await database.transaction(async (transaction) => {
    await transaction.execute(sql`select 1`);
    const reason = /another database connection must not be waited for/;
    await assert.rejects(
      async () => await database.execute(sql`select 1`),
      ({ cause }: Error) => reason.test(String(cause)),
    );
    await assert.rejects(async () => await database.transaction(async () => {}), reason);
    later = outliving.promise.then(async () => await database.execute(sql`select 1`));
  });
  outliving.resolve();
  await later;
  await close();
});

test("an organization may use all connections but one, and another one that comes is next", async () => {
  const { database, close } = await createTestDatabase();
  const { max } = database.$client.options;
  const held: (() => void)[] = [];
  const hold = async (): Promise<void> =>
    await database.transaction(async () => await new Promise<void>((resolve) => void held.push(resolve)));
  const hostile = Array.from({ length: 3 * max }, async () => await inOrganization("hostile", hold));
  await waitFor("the organization to have its connections", () => held.length === max - 1);
  // The node's own work.
  await database.execute(sql`select 1`);
  const other = inOrganization("other", async () => await database.execute(sql`select 1`));
  held[0]?.();
  await other;
  // Only one of the transactions has ended.
  assert.ok(held.length <= max, `${held.length}`);
  const isOver = Promise.all(hostile);
  for (let ended = 1; ended < 3 * max; ended++) (await waitFor("a transaction", () => held[ended]))();
  await isOver;
  // Failures give their connections back, too.
  const failing = Array.from(
    { length: 3 * max },
    async () => await inOrganization("hostile", async () => await database.execute(sql`select nonsense`)),
  );
  for (const { status } of await Promise.allSettled(failing)) assert.equal(status, "rejected");
  await inOrganization("hostile", async () => await database.execute(sql`select 1`));
  await close();
});
