import assert from "node:assert/strict";
import { test } from "node:test";
import type { SipRequest, SipResponse } from "../messages/message.ts";
import { parseMessage } from "../messages/parse.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { TransactionEnvironment } from "./environment.ts";
import { InviteClientTransaction } from "./invite-client.ts";
import { InviteServerTransaction } from "./invite-server.ts";
import { NonInviteClientTransaction } from "./non-invite-client.ts";
import { NonInviteServerTransaction } from "./non-invite-server.ts";

const tail =
  "Via: SIP/2.0/UDP a;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: x\r\nCSeq: 1";

const peer = { protocol: "UDP", address: "10.0.0.2", port: 5060 } as const;

function response(status: number, method = "INVITE"): SipResponse {
  const parsed = parseMessage(Buffer.from(`SIP/2.0 ${status} X\r\n${tail} ${method}\r\n\r\n`));
  assert.ok(parsed.ok && parsed.message.kind === "response");
  return parsed.message;
}

function request(method: string): SipRequest {
  const parsed = parseMessage(Buffer.from(`${method} sip:c@d SIP/2.0\r\n${tail} ${method}\r\n\r\n`));
  assert.ok(parsed.ok && parsed.message.kind === "request");
  return parsed.message;
}

/** Records the time in milliseconds of everything that a transaction sends and reports. */
class Probe {
  readonly clock = new ManualClock();
  readonly log: string[] = [];
  readonly environment: TransactionEnvironment;

  constructor(isReliable = false) {
    this.environment = {
      clock: this.clock,
      isReliable,
      send: (data) => this.note(data.toString()),
      onTerminated: () => this.note("terminated"),
    };
  }

  note(text: string): void {
    this.log.push(`${this.clock.nowMs()} ${text}`);
  }

  readonly user = {
    onResponse: ({ status }: SipResponse) => this.note(`got ${status}`),
    onFailure: (failure: string) => this.note(failure),
  };

  take(): string[] {
    return this.log.splice(0);
  }
}

function ack(): Buffer {
  return Buffer.from("ack");
}

function inviteClient(isReliable = false): { probe: Probe; transaction: InviteClientTransaction } {
  const probe = new Probe(isReliable);
  const transaction = new InviteClientTransaction(probe.environment, probe.user, Buffer.from("invite"), ack);
  transaction.start();
  return { probe, transaction };
}

test("an INVITE is retransmitted at doubling intervals until timer B ends it", async () => {
  const { probe } = inviteClient();
  await probe.clock.advance(40_000);
  const repeats = [0, 500, 1500, 3500, 7500, 15_500, 31_500].map((at) => `${at} invite`);
  assert.deepEqual(probe.log, [...repeats, "32000 terminated", "32000 timeout"]);
  assert.equal(probe.clock.pendingCount, 0);
});

test("over a reliable transport an INVITE is sent once, and timer B still ends it", async () => {
  const { probe } = inviteClient(true);
  await probe.clock.advance(40_000);
  assert.deepEqual(probe.log, ["0 invite", "32000 terminated", "32000 timeout"]);
});

test("a provisional response stops retransmissions and timer B", async () => {
  const { probe, transaction } = inviteClient();
  await probe.clock.advance(600);
  transaction.receive(response(180), peer);
  await probe.clock.advance(100_000);
  assert.deepEqual(probe.log, ["0 invite", "500 invite", "600 got 180"]);
});

test("a failure and each retransmission of it are acknowledged until timer D", async () => {
  const { probe, transaction } = inviteClient();
  transaction.receive(response(486), peer);
  transaction.receive(response(486), peer);
  await probe.clock.advance(32_400);
  transaction.receive(response(486), peer);
  transaction.receive(response(200), peer);
  assert.deepEqual(probe.take(), ["0 invite", "0 ack", "0 got 486", "0 ack", "32400 ack"]);
  await probe.clock.advance(200);
  assert.deepEqual(probe.take(), ["32500 terminated"]);
  transaction.receive(response(486), peer);
  assert.deepEqual(probe.take(), []);
});

test("over a reliable transport timer D is zero", async () => {
  const { probe, transaction } = inviteClient(true);
  transaction.receive(response(486), peer);
  await probe.clock.advance(0);
  assert.deepEqual(probe.log, ["0 invite", "0 ack", "0 got 486", "0 terminated"]);
});

test("every 2xx is passed to the user until timer M (RFC 6026)", async () => {
  const { probe, transaction } = inviteClient();
  transaction.receive(response(200), peer);
  await probe.clock.advance(31_000);
  transaction.receive(response(200), peer);
  transaction.receive(response(486), peer);
  await probe.clock.advance(1000);
  assert.deepEqual(probe.log, ["0 invite", "0 got 200", "31000 got 200", "32000 terminated"]);
});

test("a transport error fails only a transaction that is waiting", () => {
  const { probe, transaction } = inviteClient();
  transaction.fail("transport");
  transaction.fail("transport");
  assert.deepEqual(probe.log, ["0 invite", "0 terminated", "0 transport"]);
  const answered = inviteClient();
  answered.transaction.receive(response(200), peer);
  answered.transaction.fail("transport");
  assert.deepEqual(answered.probe.log, ["0 invite", "0 got 200"]);
});

test("a non-INVITE request is retransmitted up to every 4 s until timer F ends it", async () => {
  const probe = new Probe();
  new NonInviteClientTransaction(probe.environment, probe.user, Buffer.from("bye")).start();
  await probe.clock.advance(40_000);
  const times = [0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500];
  assert.deepEqual(probe.log, [...times.map((at) => `${at} bye`), "32000 terminated", "32000 timeout"]);
});

test("in Proceeding a non-INVITE request is retransmitted every 4 s, and timer F still runs", async () => {
  const probe = new Probe();
  const transaction = new NonInviteClientTransaction(probe.environment, probe.user, Buffer.from("bye"));
  transaction.start();
  transaction.receive(response(100, "BYE"), peer);
  await probe.clock.advance(40_000);
  const times = [0, 500, 4500, 8500, 12_500, 16_500, 20_500, 24_500, 28_500];
  const sends = times.map((at) => `${at} bye`);
  assert.deepEqual(probe.log, [
    sends[0],
    "0 got 100",
    ...sends.slice(1),
    "32000 terminated",
    "32000 timeout",
  ]);
});

for (const [isReliable, timerKMs] of [
  [false, 5000],
  [true, 0],
] as const) {
  test(`timer K of ${isReliable ? "a reliable" : "an unreliable"} transport is ${timerKMs} ms`, async () => {
    const probe = new Probe(isReliable);
    const transaction = new NonInviteClientTransaction(probe.environment, probe.user, Buffer.from("bye"));
    transaction.start();
    transaction.receive(response(200, "BYE"), peer);
    transaction.receive(response(200, "BYE"), peer);
    await probe.clock.advance(40_000);
    assert.deepEqual(probe.log, ["0 bye", "0 got 200", `${timerKMs} terminated`]);
  });
}

function inviteServer(isReliable = false): { probe: Probe; transaction: InviteServerTransaction } {
  const probe = new Probe(isReliable);
  const transaction = new InviteServerTransaction(probe.environment, "tag");
  transaction.onAck = () => probe.note("user ack");
  return { probe, transaction };
}

test("a repeated INVITE gets the last provisional response", () => {
  const { probe, transaction } = inviteServer();
  transaction.receive(request("INVITE"));
  transaction.respond(100, Buffer.from("100"));
  transaction.respond(180, Buffer.from("180"));
  transaction.receive(request("INVITE"));
  assert.deepEqual(probe.log, ["0 100", "0 180", "0 180"]);
});

test("timer G retransmits a failure up to every 4 s until timer H", async () => {
  const { probe, transaction } = inviteServer();
  transaction.respond(486, Buffer.from("486"));
  await probe.clock.advance(40_000);
  const times = [0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500];
  assert.deepEqual(probe.log, [...times.map((at) => `${at} 486`), "32000 terminated"]);
});

for (const [isReliable, timerIMs] of [
  [false, 5000],
  [true, 0],
] as const) {
  test(`the ACK of a failure leads to timer I, ${timerIMs} ms, and retransmissions are absorbed`, async () => {
    const { probe, transaction } = inviteServer(isReliable);
    transaction.respond(486, Buffer.from("486"));
    await probe.clock.advance(100);
    transaction.receive(request("ACK"));
    transaction.receive(request("ACK"));
    transaction.receive(request("INVITE"));
    await probe.clock.advance(40_000);
    assert.deepEqual(probe.log, ["0 486", `${100 + timerIMs} terminated`]);
  });
}

test("Accepted absorbs repeated INVITEs and sends the user's 2xx until timer L (RFC 6026)", async () => {
  const { probe, transaction } = inviteServer();
  transaction.respond(200, Buffer.from("200"));
  transaction.receive(request("INVITE"));
  await probe.clock.advance(500);
  transaction.respond(200, Buffer.from("200"));
  transaction.respond(486, Buffer.from("486"));
  transaction.receive(request("ACK"));
  await probe.clock.advance(40_000);
  assert.deepEqual(probe.log, ["0 200", "500 200", "500 user ack", "32000 terminated"]);
});

for (const [isReliable, timerJMs] of [
  [false, 32_000],
  [true, 0],
] as const) {
  test(`a repeated request gets the same final response until timer J, ${timerJMs} ms`, async () => {
    const probe = new Probe(isReliable);
    const transaction = new NonInviteServerTransaction(probe.environment);
    transaction.receive();
    transaction.respond(200, Buffer.from("200"));
    transaction.respond(500, Buffer.from("500"));
    transaction.receive();
    await probe.clock.advance(40_000);
    transaction.receive();
    assert.deepEqual(probe.log, ["0 200", "0 200", `${timerJMs} terminated`]);
  });
}

test("an unanswered request is dropped after 32 s", async () => {
  const probe = new Probe();
  const transaction = new NonInviteServerTransaction(probe.environment);
  await probe.clock.advance(40_000);
  transaction.respond(200, Buffer.from("200"));
  assert.deepEqual(probe.log, ["32000 terminated"]);
});
