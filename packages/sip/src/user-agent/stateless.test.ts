import assert from "node:assert/strict";
import { test } from "node:test";
import { DigestAuthenticator } from "../digest/authenticator.ts";
import { DigestClient } from "../digest/client.ts";
import { liveHeapBytes } from "../testing/heap.ts";
import { assertNothingLeft, createRig, type Rig } from "../testing/rig.ts";
import type { RequestScript } from "../testing/scripted-peer.ts";

const NOTHING_OPEN = { transactions: 0, dialogs: 0, calls: 0 };

async function send(rig: Rig, script: RequestScript): Promise<void> {
  rig.peer.request(script);
  await rig.clock.advance(0);
}

/** Requests that are answered without a transaction, and their status. */
const stateless: [name: string, status: number, script: RequestScript][] = [
  ["an unsupported method", 405, { method: "REGISTER" }],
  ["an unknown method", 501, { method: "FROB" }],
  ["a keep-alive", 200, { method: "OPTIONS" }],
  ["an unsupported scheme", 416, { method: "INVITE", requestUri: "mailto:a@b" }],
  ["an unsupported extension", 420, { method: "INVITE", headers: ["Require: teleport"] }],
  ["a request for a dialog that does not exist", 481, { method: "BYE", toTag: "none" }],
  ["an INVITE for a dialog that does not exist", 481, { method: "INVITE", toTag: "none" }],
  ["a CANCEL without its INVITE", 481, { method: "CANCEL" }],
  ["a transfer by a stranger", 403, { method: "REFER", headers: ["Refer-To: <sip:a@b>"] }],
  [
    "a call to replace that does not exist",
    481,
    { method: "INVITE", headers: ["Replaces: x;to-tag=1;from-tag=2"] },
  ],
  ["a malformed request", 400, { method: "INVITE", headers: ["Call-ID: again"] }],
];

for (const [name, status, script] of stateless) {
  test(`${name} is answered ${status} without state, again with the same tag`, async () => {
    const rig = createRig();
    await send(rig, script);
    await send(rig, script);
    const responses = rig.peer.responses(script.method);
    assert.deepEqual(
      responses.map((response) => response.status),
      [status, status],
    );
    const [first, second] = responses.map(({ to }) => to.parameters.get("tag"));
    assert.ok(first !== undefined && first === second);
    assert.deepEqual(rig.ua.counts, NOTHING_OPEN);
    assert.equal(rig.clock.pendingCount, 0);
    await send(rig, { ...script, method: "ACK", toTag: first, headers: [] });
    assert.equal(rig.peer.responses(script.method).length, 2);
    await assertNothingLeft(rig);
  });
}

test("a screened-out INVITE and its ACK leave no state", async () => {
  const screening = Promise.withResolvers<{ status: number }>();
  let screened = 0;
  const rig = createRig({
    screenInvite: async () => {
      screened++;
      return await screening.promise;
    },
    onInvite: () => assert.fail("a screened INVITE reached the application"),
  });
  // Repeated before the application has decided.
  for (let repeats = 0; repeats < 3; repeats++) await send(rig, { method: "INVITE" });
  assert.deepEqual([screened, rig.peer.received.length], [1, 0]);
  screening.resolve({ status: 404 });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("INVITE"), [404]);
  const toTag = rig.peer.tagFrom("INVITE");
  // The answer was lost.
  await send(rig, { method: "INVITE" });
  assert.deepEqual(rig.peer.statuses("INVITE"), [404, 404]);
  assert.equal(rig.peer.tagFrom("INVITE"), toTag);
  await send(rig, { method: "ACK", toTag });
  assert.deepEqual(rig.ua.counts, NOTHING_OPEN);
  assert.equal(rig.clock.pendingCount, 0);
});

test("a screened INVITE is accepted once, also if it was repeated in the meantime", async () => {
  const screening = Promise.withResolvers<undefined>();
  const rig = createRig({ screenInvite: async () => await screening.promise });
  for (let repeats = 0; repeats < 3; repeats++) await send(rig, { method: "INVITE" });
  screening.resolve(undefined);
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("INVITE"), [100, 486]);
  assert.equal(rig.ua.counts.transactions, 1);
  await assertNothingLeft(rig);
});

test("a failing screening is answered 500 and reported", async () => {
  const errors: unknown[] = [];
  for (const screenInvite of [
    () => {
      throw new Error("at once");
    },
    async () => await Promise.reject(new Error("later")),
  ]) {
    const rig = createRig({ screenInvite, onError: (error) => void errors.push(error) });
    await send(rig, { method: "INVITE" });
    assert.deepEqual(rig.peer.statuses("INVITE"), [500]);
    assert.deepEqual(rig.ua.counts, NOTHING_OPEN);
  }
  assert.equal(errors.length, 2);
});

test("at most 1000 INVITEs wait for the application, and more are rejected", async () => {
  let screened = 0;
  const rig = createRig({
    screenInvite: async () => {
      screened++;
      return await new Promise(() => undefined);
    },
  });
  for (let count = 0; count < 1_200; count++)
    rig.peer.request({ method: "INVITE", branch: `z9hG4bK${count}`, callId: `c${count}` });
  await rig.clock.advance(0);
  assert.equal(screened, 1_000);
  assert.deepEqual(rig.peer.statuses("INVITE"), Array.from({ length: 200 }).fill(503));
  await send(rig, { method: "OPTIONS" });
  assert.deepEqual(rig.peer.statuses("OPTIONS"), [200]);
});

test("rejections to a source may be suppressed, but not keep-alives and challenges", async () => {
  let status = 404;
  const rig = createRig({
    mayReject: ({ address }) => address !== "10.0.0.2",
    screenInvite: () => ({ status }),
  });
  await send(rig, { method: "INVITE" });
  await send(rig, { method: "FROB" });
  await send(rig, { method: "INVITE", headers: ["Call-ID: again"] });
  assert.deepEqual(rig.peer.received, []);
  await send(rig, { method: "OPTIONS" });
  status = 401;
  await send(rig, { method: "INVITE" });
  assert.deepEqual([rig.peer.statuses("OPTIONS"), rig.peer.statuses("INVITE")], [[200], [401]]);
});

test("a nonce is valid only from the address to which it was issued", async () => {
  const authenticator = new DigestAuthenticator({ realm: "parley" });
  const from = (address: string) => ({ method: "INVITE", source: { address } });
  const client = new DigestClient({ username: "alice", password: "secret" });
  const { HeaderList } = await import("../messages/header-list.ts");
  const challenge = new HeaderList();
  for (const value of authenticator.challenges(from("192.0.2.1"))) challenge.add("www-authenticate", value);
  assert.ok(client.storeChallenge(401, challenge));
  const headers = new HeaderList();
  headers.addAll(client.authorize({ method: "INVITE", requestUri: "sip:a@b", body: "" }));
  let asked = 0;
  const passwordOf = (): string => {
    asked++;
    return "secret";
  };
  const forged = await authenticator.verify({ ...from("192.0.2.2"), headers }, passwordOf);
  assert.ok(!forged.ok && forged.reason === "stale");
  assert.equal(asked, 0);
  assert.deepEqual(await authenticator.verify({ ...from("192.0.2.1"), headers }, passwordOf), {
    ok: true,
    username: "alice",
  });
});

test("memory is released after 40,000 rejected requests", async () => {
  const rig = createRig({ screenInvite: async () => await Promise.resolve({ status: 404 }) });
  const methods = ["INVITE", "OPTIONS", "REGISTER", "FROB", "BYE", "CANCEL", "SUBSCRIBE", "MESSAGE"];
  let heapBefore = 0;
  for (let count = 0; count < 40_000; count++) {
    const method = methods[count % methods.length] ?? "";
    rig.peer.request({ method, branch: `z9hG4bK${count}`, callId: `c${count}`, fromTag: `f${count}` });
    if (count % 1_000 !== 999) continue;
    await rig.clock.advance(0);
    assert.deepEqual(rig.ua.counts, NOTHING_OPEN);
    assert.equal(rig.peer.received.length, 1_000);
    rig.peer.received.length = 0;
    rig.network.sent.length = 0;
    if (count === 9_999) heapBefore = liveHeapBytes();
  }
  assert.equal(rig.clock.pendingCount, 0);
  const growth = liveHeapBytes() - heapBefore;
  assert.ok(growth < 1024 * 1024, `${growth} bytes more`);
});
