import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settle } from "node:timers/promises";
import { liveHeapBytes } from "../../testing/heap.ts";
import { failingResolver } from "../../testing/failing-resolver.ts";
import type { Hop, Transport } from "../../transport/transport.ts";
import { UserAgent } from "../user-agent.ts";

const CALLS = 1_000;
/** Two transactions with timers, names and the last response. A single message of the call has more than 500 bytes. */
const MAX_BYTES_PER_CALL = 3_500;

const caller: Hop = { protocol: "UDP", address: "10.0.0.2", port: 5060 };
const sdp = [
  "v=0",
  "o=- 1 1 IN IP4 10.0.0.2",
  "s=-",
  "c=IN IP4 10.0.0.2",
  "t=0 0",
  "m=audio 6000 RTP/AVP 0",
  "a=rtpmap:0 PCMU/8000",
  "",
].join("\r\n");

/** Includes buffers; objects with a finalizer are freed by the second collection. */
async function liveBytes(): Promise<number> {
  liveHeapBytes();
  await settle();
  return liveHeapBytes() + process.memoryUsage().external;
}

/** A user agent that accepts every call, on a transport without network. */
class CalledAgent {
  readonly agent: UserAgent;
  readonly sent: string[] = [];
  #deliver: (data: Buffer, source: Hop) => void = () => undefined;

  constructor() {
    const transport: Transport = {
      protocol: "UDP",
      isReliable: false,
      localAddress: { address: "10.0.0.1", port: 5060 },
      start: (receive) => void (this.#deliver = receive),
      send: (data) => void this.sent.push(data.toString()),
      close: () => Promise.resolve(),
    };
    this.agent = UserAgent.on(transport, {
      resolver: failingResolver,
      onInvite: (invite) => void invite.accept({ sdp }),
    });
  }

  receive(request: string): void {
    this.#deliver(Buffer.from(request), caller);
  }

  /** A complete call; returns its BYE. */
  async call(number: number): Promise<string> {
    this.receive(requestOf(number, "INVITE", 1, "", sdp));
    await settle();
    const tag = /^To: .*(;tag=\w+)/m.exec(this.sent.at(-1) ?? "")?.[1] ?? "";
    this.receive(requestOf(number, "ACK", 1, tag));
    await settle();
    const bye = requestOf(number, "BYE", 2, tag);
    this.receive(bye);
    await settle();
    return bye;
  }
}

function requestOf(call: number, method: string, sequence: number, tag: string, body = ""): string {
  return [
    `${method} sip:agent@10.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bK-of-the-${method}-${call};rport`,
    `From: <sip:caller@10.0.0.2>;tag=the-tag-of-the-caller-${call}`,
    `To: <sip:agent@10.0.0.1>${tag}`,
    `Call-ID: the-id-of-the-call-${call}@10.0.0.2`,
    `CSeq: ${sequence} ${method}`,
    "Contact: <sip:caller@10.0.0.2:5060>",
    "Max-Forwards: 70",
    ...(body === "" ? [] : ["Content-Type: application/sdp"]),
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}

test("the memory of a finished call is a fraction of the size of its messages", async () => {
  const called = new CalledAgent();
  const { agent, sent } = called;
  // Until all code is compiled.
  for (let number = 0; number < 300; number++) await called.call(number);
  sent.length = 0;
  const before = await liveBytes();
  for (let number = 300; number < 300 + CALLS; number++) {
    await called.call(number);
    sent.length = 0;
  }
  const growth = (await liveBytes()) - before;
  assert.equal(agent.counts.transactions, 2 * (300 + CALLS));
  assert.ok(growth / CALLS < MAX_BYTES_PER_CALL, `${Math.round(growth / CALLS)} bytes for each call`);

  const bye = await called.call(9_999);
  const answer = sent.at(-1) ?? "";
  called.receive(bye);
  assert.match(answer, /^SIP\/2\.0 200/);
  assert.equal(sent.at(-1), answer);
  assert.ok(sent.length > 3);
  await agent.close();
  assert.equal(agent.counts.transactions, 0);
});
