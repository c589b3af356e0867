import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createIceCredentials, IceAgent, type IceCredentials } from "./ice-agent.ts";
import { parseStun, type ReceivedStunMessage, type StunMessage, writeStun } from "./stun-message.ts";
import { addressKey, type TransportAddress } from "./transport-address.ts";

const HOME: TransportAddress = { address: "192.0.2.7", port: 5000 };
const TRAIN: TransportAddress = { address: "2001:db8::7", port: 5001 };

/** An agent, and the controlling peer that it hears. */
class Scene {
  readonly local: IceCredentials = createIceCredentials();
  readonly remote: IceCredentials = createIceCredentials();
  readonly sent: { message: ReceivedStunMessage; to: string }[] = [];
  readonly nominations: string[] = [];
  readonly answered: string[] = [];
  readonly agent: IceAgent = new IceAgent({
    local: this.local,
    remote: this.remote,
    send: (datagram, to) =>
      this.sent.push({ message: parseStun(datagram) ?? assert.fail(), to: addressKey(to) }),
    onNominated: () => this.nominations.push(addressKey(this.agent.nominated ?? assert.fail())),
    onAnswered: (transactionId) => this.answered.push(transactionId.toString()),
  });

  request(from: TransportAddress, rest: Partial<StunMessage> = {}, password = this.local.pwd): void {
    const message: StunMessage = {
      class: "request",
      transactionId: Buffer.from("a request---"),
      username: `${this.local.ufrag}:${this.remote.ufrag}`,
      priority: 1,
      ...(rest.controlled === undefined && { controlling: 7n }),
      ...rest,
    };
    this.agent.receive(parseStun(writeStun(message, password)) ?? assert.fail(), from);
  }

  /** Answers what was sent last. */
  succeed(from: TransportAddress, password = this.remote.pwd): void {
    const { transactionId } = this.sent.at(-1)?.message ?? assert.fail();
    const response: StunMessage = { class: "success", transactionId, mappedAddress: HOME };
    this.agent.receive(parseStun(writeStun(response, password)) ?? assert.fail(), from);
  }

  /** Messages sent since the last call: class and destination. */
  take(): string[] {
    return this.sent.splice(0).map(({ message, to }) => `${message.class} ${to}`);
  }
}

function withTimers(run: () => void): void {
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    run();
  } finally {
    mock.timers.reset();
  }
}

test("a path is used once it works in both directions and the peer has nominated it", () => {
  withTimers(() => {
    const scene = new Scene();
    scene.request(HOME);
    const [response] = scene.sent;
    assert.deepEqual(response?.message.mappedAddress, HOME);
    assert.ok(response?.message.isAuthentic(scene.local.pwd));
    assert.deepEqual(scene.take(), ["success 192.0.2.7 5000"]);
    mock.timers.tick(50);
    const check = scene.sent[0]?.message ?? assert.fail();
    assert.equal(check.username, `${scene.remote.ufrag}:${scene.local.ufrag}`);
    assert.equal(check.controlled, 0n);
    assert.ok(check.isAuthentic(scene.remote.pwd));
    assert.equal(scene.agent.knows(HOME), false);
    scene.succeed(HOME, "not the peer's");
    assert.equal(scene.agent.knows(HOME), false);
    scene.succeed(HOME);
    assert.ok(scene.agent.knows(HOME));
    assert.deepEqual(scene.nominations, []);
    scene.request(HOME, { useCandidate: true });
    scene.request(HOME, { useCandidate: true });
    assert.deepEqual(scene.nominations, ["192.0.2.7 5000"]);
  });
});

test("a path that is nominated before its check is used after the check", () => {
  withTimers(() => {
    const scene = new Scene();
    scene.request(TRAIN, { useCandidate: true });
    assert.deepEqual(scene.nominations, []);
    mock.timers.tick(50);
    scene.succeed(TRAIN);
    assert.deepEqual(scene.nominations, ["2001:db8::7 5001"]);
  });
});

test("the peer can nominate another path later, and the first one again", () => {
  withTimers(() => {
    const scene = new Scene();
    for (const from of [HOME, TRAIN]) {
      scene.request(from, { useCandidate: true });
      mock.timers.tick(50);
      scene.succeed(from);
    }
    scene.request(HOME, { useCandidate: true });
    assert.deepEqual(scene.nominations, ["192.0.2.7 5000", "2001:db8::7 5001", "192.0.2.7 5000"]);
  });
});

test("a candidate is checked five times at growing intervals", () => {
  withTimers(() => {
    const scene = new Scene();
    scene.agent.addCandidate(HOME);
    const sentAtMs: number[] = [];
    for (let atMs = 50; atMs <= 60_000; atMs += 50) {
      mock.timers.tick(50);
      if (scene.take().length > 0) sentAtMs.push(atMs);
    }
    assert.equal(sentAtMs.length, 5);
    const gaps = sentAtMs.slice(1).map((atMs, index) => atMs - (sentAtMs[index] ?? 0));
    assert.deepEqual(gaps, [500, 1000, 2000, 4000]);
  });
});

test("a request with other credentials is not answered", () => {
  const scene = new Scene();
  scene.request(HOME, {}, "guessed");
  scene.request(HOME, { username: `${scene.local.ufrag}:somebody` });
  assert.deepEqual(scene.take(), []);
});

test("a peer in the controlled role gets a role conflict", () => {
  const scene = new Scene();
  scene.request(HOME, { controlled: 9n });
  assert.equal(scene.sent[0]?.message.errorCode, 487);
  assert.equal(scene.agent.knows(HOME), false);
});

test("a check of the library is sent over the nominated path, and its answer is returned from there", () => {
  withTimers(() => {
    const scene = new Scene();
    scene.agent.check(Buffer.from("too early---"));
    assert.deepEqual(scene.take(), []);
    scene.request(HOME, { useCandidate: true });
    mock.timers.tick(50);
    scene.succeed(HOME);
    scene.take();
    scene.agent.check(Buffer.from("still there?"));
    assert.equal(scene.sent.at(-1)?.to, "192.0.2.7 5000");
    scene.succeed(TRAIN);
    assert.deepEqual(scene.answered, []);
    scene.succeed(HOME);
    assert.deepEqual(scene.answered, ["still there?"]);
    scene.agent.close();
    scene.take();
    scene.agent.check(Buffer.from("still there?"));
    assert.deepEqual(scene.take(), []);
  });
});

test("the number of paths is bounded, and they end with the agent", () => {
  withTimers(() => {
    const scene = new Scene();
    for (let port = 1; port <= 100; port++) scene.agent.addCandidate({ address: "192.0.2.7", port });
    mock.timers.tick(500);
    scene.agent.close();
    mock.timers.tick(60_000);
    assert.equal(scene.take().length, 10);
    for (let port = 1; port <= 100; port++) scene.request({ address: "192.0.2.8", port });
    assert.deepEqual(scene.take(), []);
  });
});
