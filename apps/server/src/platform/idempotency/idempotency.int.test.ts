import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import test from "node:test";
import { sql } from "drizzle-orm";
import { afterCommit } from "../database/joint-transaction.ts";
import { createTestDatabase } from "../database/testing.ts";
import { Encryption } from "../encryption/encryption.ts";
import { forbidInTransaction } from "../database/transaction-scope.ts";
import { Idempotency, type KeyedRequest } from "./idempotency.ts";

const HOUR_MS = 3_600_000;

async function open() {
  const test = await createTestDatabase();
  await test.database.execute(sql`create table effects (id int)`);
  let nowMs = Date.parse("2026-11-21T09:00:00Z");
  const request: KeyedRequest = {
    organizationId: randomUUID(),
    method: "POST",
    path: "/v1/things",
    key: "k",
    content: { name: "a" },
  };
  const idempotency = new Idempotency(test.database, new Encryption(randomBytes(32)), {
    now: () => new Date(nowMs),
  });
  const countEffects = async (): Promise<number> => {
    const { rows } = await test.database.execute<{ n: number }>(sql`select count(*)::int as n from effects`);
    return rows[0]?.n ?? -1;
  };
  const effect = async () => {
    await test.database.transaction(async (transaction) => {
      await transaction.execute(sql`insert into effects values (1)`);
    });
    return { status: 201, body: `{"effects":${await countEffects()}}` };
  };
  return {
    ...test,
    idempotency,
    request,
    effect,
    countEffects,
    letPass: (ms: number): void => void (nowMs += ms),
  };
}

test("a repeated request has no second effect and gets the same answer", async () => {
  const { idempotency, request, effect, countEffects, close } = await open();
  const first = await idempotency.once(request, effect);
  assert.deepEqual(first, { status: 201, body: '{"effects":1}', isReplayed: false });
  assert.deepEqual(await idempotency.once(request, effect), { ...first, isReplayed: true });
  assert.equal(await countEffects(), 1);
  await close();
});

test("an answer is stored encrypted, regardless of where its effect is", async () => {
  const { idempotency, request, database, close } = await open();
  const answer = { status: 201, body: '{"joinToken":"open sesame"}' };
  for (const isRemote of [false, true]) {
    const keyed = { ...request, key: `remote: ${isRemote}` };
    await idempotency.once(keyed, async () => answer, { isRemote });
    const again = await idempotency.once(keyed, async () => assert.fail("ran again"), { isRemote });
    assert.deepEqual(again, { ...answer, isReplayed: true });
  }
  await idempotency.once({ ...request, key: "unfinished" }, async () => {
    await afterCommit(async () => {});
    return answer;
  });
  const { rows } = await database.execute(sql`select * from idempotency_keys`);
  assert.equal(rows.length, 3);
  assert.doesNotMatch(JSON.stringify(rows), /sesame/);
  await close();
});

test("another organization, method, path or key is another request; another body is rejected", async () => {
  const { idempotency, request, effect, countEffects, close } = await open();
  await idempotency.once(request, effect);
  for (const other of [
    { organizationId: randomUUID() },
    { method: "PUT" },
    { path: "/v1/others" },
    { key: "K" },
  ]) {
    assert.equal((await idempotency.once({ ...request, ...other }, effect)).isReplayed, false);
  }
  const conflicting = idempotency.once({ ...request, content: { name: "b" } }, effect);
  await assert.rejects(conflicting, { code: "idempotency_conflict" });
  assert.equal(await countEffects(), 5);
  await close();
});

test("the same content with its keys in another order is the same request; another order of a list is not", async () => {
  const { idempotency, request, effect, countEffects, close } = await open();
  const send = async (content: unknown) => await idempotency.once({ ...request, content }, effect);
  await send([{}, { name: "a", nested: { x: 1, y: [1, 2] } }]);
  assert.equal((await send([{}, { nested: { y: [1, 2], x: 1 }, name: "a" }])).isReplayed, true);
  await assert.rejects(send([{}, { nested: { y: [2, 1], x: 1 }, name: "a" }]), {
    code: "idempotency_conflict",
  });
  assert.equal(await countEffects(), 1);
  await close();
});

test("of many concurrent requests one takes effect, and the others get that it is in progress", async () => {
  const { idempotency, request, effect, countEffects, close } = await open();
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, async () => await idempotency.once(request, effect)),
  );
  const refused = results.filter(({ status }) => status === "rejected");
  for (const { reason } of results.filter((each) => each.status === "rejected")) {
    assert.equal(reason.code, "idempotency_in_progress");
  }
  assert.ok(refused.length < 8);
  assert.equal(await countEffects(), 1);
  await close();
});

test("a failure leaves neither effect nor answer, regardless of the work done by then", async () => {
  const { idempotency, request, effect, countEffects, close } = await open();
  const failing = async (): Promise<never> => {
    await effect();
    throw new Error("after the effect");
  };
  await assert.rejects(idempotency.once(request, failing), /after the effect/);
  assert.equal(await countEffects(), 0);
  assert.equal((await idempotency.once(request, effect)).isReplayed, false);
  await close();
});

test("a connection lost during the effect leaves nothing, and the key can be used again", async () => {
  const { idempotency, request, effect, countEffects, database, close } = await open();
  const dying = async (): Promise<never> => {
    await effect();
    await database.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
    throw new Error("not reached");
  };
  await assert.rejects(idempotency.once(request, dying));
  assert.equal(await countEffects(), 0);
  assert.equal((await idempotency.once(request, effect)).isReplayed, false);
  await close();
});

test("a handled failure inside the effect undoes only its own part", async () => {
  const { idempotency, request, effect, countEffects, database, close } = await open();
  await idempotency.once(request, async () => {
    await assert.rejects(
      database.transaction(async (transaction) => {
        await transaction.execute(sql`insert into effects values (2)`);
        throw new Error("no");
      }),
      /no/,
    );
    return await effect();
  });
  assert.equal(await countEffects(), 1);
  await close();
});

test("work that outlives its request uses the database itself", async () => {
  const { idempotency, request, countEffects, database, close } = await open();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let later: Promise<unknown> | undefined;
  await idempotency.once(request, async () => {
    later = over.then(async () => await database.execute(sql`insert into effects values (3)`));
    return { status: 200, body: "{}" };
  });
  resolve();
  await later;
  assert.equal(await countEffects(), 1);
  await close();
});

test("work after the commit runs after it, and not if the effect is rolled back", async () => {
  const { idempotency, request, effect, countEffects, close } = await open();
  const seen: Promise<number>[] = [];
  const telling = async () => {
    const answer = await effect();
    await afterCommit(() => void seen.push(countEffects()));
    assert.equal(seen.length, 0, "not before the end");
    return answer;
  };
  const failing = async (): Promise<never> => {
    await telling();
    throw new Error("after the effect");
  };
  await assert.rejects(idempotency.once(request, failing), /after the effect/);
  assert.equal(seen.length, 0);
  await idempotency.once(request, telling);
  assert.deepEqual(await Promise.all(seen), [1]);
  await afterCommit(() => void seen.push(countEffects()));
  assert.equal(seen.length, 2, "at once where there is no transaction");
  await Promise.all(seen);
  await close();
});

test("an answer is stored for 24 hours", async () => {
  const { idempotency, request, effect, countEffects, letPass, close } = await open();
  await idempotency.once(request, effect);
  letPass(24 * HOUR_MS - 1);
  assert.equal(await idempotency.deleteExpired(), 0);
  assert.equal((await idempotency.once(request, effect)).isReplayed, true);
  letPass(1);
  assert.equal((await idempotency.once({ ...request, content: {} }, effect)).isReplayed, false);
  assert.equal(await countEffects(), 2);
  letPass(24 * HOUR_MS);
  assert.equal(await idempotency.deleteExpired(), 1);
  await close();
});

test("a remote effect runs outside any transaction, with its key in progress meanwhile", async () => {
  const { idempotency, request, letPass, close } = await open();
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = { status: 200, body: "{}" };
  const isRemote = true;
  const running = idempotency.once(
    request,
    async () => {
      forbidInTransaction("nothing");
      begun.resolve();
      await answered.promise;
      return answer;
    },
    { isRemote },
  );
  await begun.promise;
  const again = async () =>
    await idempotency.once(request, async () => assert.fail("ran again"), { isRemote });
  await assert.rejects(again(), { code: "idempotency_in_progress" });
  const other = { ...request, content: {} };
  await assert.rejects(idempotency.once(other, again, { isRemote }), { code: "idempotency_conflict" });
  answered.resolve();
  assert.deepEqual(await running, { ...answer, isReplayed: false });
  assert.deepEqual(await again(), { ...answer, isReplayed: true });
  letPass(HOUR_MS);
  assert.deepEqual(await again(), { ...answer, isReplayed: true });
  await close();
});

test("a failed remote effect frees its key at once, and one of a crashed node a minute later", async () => {
  const { idempotency, request, letPass, close } = await open();
  const answer = async () => ({ status: 200, body: "{}" });
  const failing = idempotency.once(request, async () => await Promise.reject(new Error("unreachable")), {
    isRemote: true,
  });
  await assert.rejects(failing, /unreachable/);
  await new Promise<void>((begin) => {
    const dying = async () => await new Promise<never>(() => begin());
    void idempotency.once(request, dying, { isRemote: true });
  });
  letPass(59_999);
  await assert.rejects(idempotency.once(request, answer, { isRemote: true }), {
    code: "idempotency_in_progress",
  });
  letPass(1);
  assert.equal((await idempotency.once(request, answer, { isRemote: true })).isReplayed, false);
  await close();
});

test("until the work after the commit ends the key is in progress; a crash then leaves the answer", async () => {
  const { idempotency, request, effect, countEffects, letPass, close } = await open();
  const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const placing = async () => {
    const answer = await effect();
    await afterCommit(async () => {
      forbidInTransaction("a node");
      begun.resolve();
      await done.promise;
    });
    return answer;
  };
  const running = idempotency.once(request, placing);
  await begun.promise;
  await assert.rejects(idempotency.once(request, placing), { code: "idempotency_in_progress" });
  letPass(60_000);
  assert.equal((await idempotency.once(request, placing)).isReplayed, true);
  done.resolve();
  assert.equal((await running).isReplayed, false);
  assert.equal(await countEffects(), 1);
  await close();
});
