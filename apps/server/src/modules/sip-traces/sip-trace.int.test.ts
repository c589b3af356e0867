import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import type { SipTrace } from "@parley/contract";
import type { MessageTrace } from "@parley/sip";
import { createLogger } from "../../platform/logging/logging.ts";
import { type TestServer, createTestServer, inboundCall } from "../testing.ts";
import { deleteExpiredTracesJob } from "./sip-trace.jobs.ts";
import { SipTraceRecorder } from "./sip-trace.recorder.ts";
import { sipTraceMessages } from "./sip-trace.tables.ts";

const DAY_MS = 86_400_000;
const NUMBER = "+4930123456";
const NODE = "node-1";
const hasTshark = spawnSync("tshark", ["-v"]).error === undefined;

interface Target {
  sipTrunkId: string;
  agentId: string;
  phoneNumberId: string;
}

/** A platform without calls, and a recorder with a clock that the test sets. */
class Fixture {
  readonly server: TestServer;
  readonly recorder: SipTraceRecorder;
  now = new Date("2026-11-21T12:00:00.000Z");
  /** Ends the trace of the last opened call. */
  endCall = (): void => undefined;
  readonly #target: Target;

  private constructor(server: TestServer, target: Target) {
    this.server = server;
    this.#target = target;
    this.recorder = new SipTraceRecorder({
      database: server.database,
      logger: createLogger({ level: "silent" }),
      clock: { now: () => this.now },
    });
  }

  static async start(): Promise<Fixture> {
    const server = await createTestServer();
    const create = async (url: string, body: object): Promise<string> => {
      const response = await server.request("POST", url, body);
      const { data }: { data: { id: string } } = JSON.parse(JSON.stringify(response.body));
      return data.id;
    };
    const sipTrunkId = await create("/sip-trunks", { friendlyName: "Trunk" });
    const agentId = await create("/agents", { name: "Agent", sipTrunkId });
    const phoneNumberId = await create(`/agents/${agentId}/phone-numbers`, { e164: NUMBER });
    return new Fixture(server, { sipTrunkId, agentId, phoneNumberId });
  }

  pass(milliseconds: number): void {
    this.now = new Date(this.now.getTime() + milliseconds);
  }

  async openCall(sipCallId: string): Promise<string> {
    const { modules, organizationId } = this.server;
    const call = {
      ...this.#target,
      fromNumber: "+14155550100",
      toNumber: NUMBER,
      nodeId: NODE,
      sipCallId,
      at: this.now,
    };
    const { callId } = await modules.calls.openInbound(inboundCall(organizationId, call));
    this.endCall = this.recorder.claim(sipCallId, callId);
    return callId;
  }

  async traceOf(callId: string): Promise<SipTrace> {
    const { status, body } = await this.server.request("GET", `/calls/${callId}/trace`);
    assert.equal(status, 200);
    const { data }: { data: SipTrace } = JSON.parse(JSON.stringify(body));
    return data;
  }

  async close(): Promise<void> {
    await this.recorder.close();
    await this.server.close();
  }
}

function message(
  direction: "in" | "out",
  sipCallId: string,
  startLine: string,
  ...more: string[]
): MessageTrace {
  const head = [startLine, `Call-ID: ${sipCallId}`, "CSeq: 1 INVITE", ...more, "Content-Length: 0", "", ""];
  return {
    direction,
    local: { address: "192.0.2.10", port: 5060 },
    peer: { protocol: "TCP", address: "192.0.2.20", port: 40_000 },
    data: Buffer.from(head.join("\r\n")),
  };
}

test("a call's messages are recorded from its first INVITE, with secrets masked", async () => {
  const fixture = await Fixture.start();
  const { recorder } = fixture;
  recorder.observe(
    message("in", "c1", "INVITE sip:a@b SIP/2.0", 'Authorization: Digest username="u", response="abc"'),
  );
  recorder.observe(message("out", "c1", "SIP/2.0 100 Trying"));
  await recorder.flush();
  const callId = await fixture.openCall("c1");
  assert.deepEqual((await fixture.traceOf(callId)).messages, []);
  fixture.pass(5);
  recorder.observe(message("out", "c1", "SIP/2.0 200 OK"));
  await recorder.flush();
  const { messages, media } = await fixture.traceOf(callId);
  assert.deepEqual(
    messages.map(({ at, direction, text }) => [at, direction, text.split("\r\n", 1)[0]]),
    [
      ["2026-11-21T12:00:00.000Z", "received", "INVITE sip:a@b SIP/2.0"],
      ["2026-11-21T12:00:00.000Z", "sent", "SIP/2.0 100 Trying"],
      ["2026-11-21T12:00:00.005Z", "sent", "SIP/2.0 200 OK"],
    ],
  );
  assert.match(messages[0]?.text ?? "", /username="u", response="\*{3}"/);
  assert.deepEqual(
    [messages[0]?.transport, messages[0]?.local, messages[0]?.peer],
    ["TCP", { address: "192.0.2.10", port: 5060 }, { address: "192.0.2.20", port: 40_000 }],
  );
  assert.equal(media, null);
  await fixture.close();
});

test("the trace of an ended call contains its network quality", async () => {
  const fixture = await Fixture.start();
  const { server } = fixture;
  const callId = await fixture.openCall("c2");
  const quality = {
    codec: "PCMU" as const,
    srtpSuite: null,
    roundTripMs: 20,
    received: { packets: 100, lost: 1, late: 2, jitterMs: 0.5, mos: 4.2 },
    sent: { packets: 100, lost: null, jitterMs: null, mos: null },
  };
  const end = { status: "completed", endReason: "user_hangup", endedAt: fixture.now, quality } as const;
  await server.modules.calls.finish(callId, end);
  assert.deepEqual((await fixture.traceOf(callId)).media, quality);
  await fixture.close();
});

test("a call's capture is downloaded as a file, with the direction of each message", async (t) => {
  const fixture = await Fixture.start();
  const { server, recorder } = fixture;
  const callId = await fixture.openCall("c3");
  recorder.observe(message("in", "c3", "INVITE sip:a@b SIP/2.0"));
  recorder.observe(message("out", "c3", "SIP/2.0 486 Busy Here"));
  await recorder.flush();
  const headers = { "x-api-key": server.apiKey };
  const response = await server.app.inject({ url: `/v1/calls/${callId}/trace.pcap`, headers });
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers["content-type"], "application/vnd.tcpdump.pcap");
  assert.equal(response.rawPayload.readUInt32LE(0), 0xa1b2c3d4);
  await fixture.close();
  if (!hasTshark) return t.diagnostic("tshark is not installed: NOT opened by a real reader");
  const folder = mkdtempSync(path.join(tmpdir(), "parley-trace-"));
  const file = path.join(folder, "trace.pcap");
  writeFileSync(file, response.rawPayload);
  const fields = ["ip.src", "udp.dstport", "sip.Method", "sip.Status-Code"].flatMap((field) => ["-e", field]);
  const { stdout } = spawnSync("tshark", ["-r", file, "-T", "fields", "-E", "separator=,", ...fields], {
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  assert.deepEqual(stdout.trim().split("\n"), ["192.0.2.20,5060,INVITE,", "192.0.2.10,40000,,486"]);
});

test("the trace of another organization's call is not found", async () => {
  const fixture = await Fixture.start();
  const { server } = fixture;
  const callId = await fixture.openCall("c4");
  const { apiKey } = await server.createOrganization();
  for (const name of ["trace", "trace.pcap"]) {
    const { status, body } = await server.request("GET", `/calls/${callId}/${name}`, undefined, apiKey);
    assert.equal(status, 404);
    assert.equal(JSON.parse(JSON.stringify(body)).error, "not_found");
  }
  await fixture.close();
});

test("messages without a call are dropped, and a call's trace stays within its limits", async () => {
  const fixture = await Fixture.start();
  const { recorder } = fixture;
  recorder.observe(message("in", "stray", "OPTIONS sip:a@b SIP/2.0"));
  await recorder.flush();
  fixture.pass(31_000);
  await recorder.flush();
  const tooLate = await fixture.openCall("stray");
  await recorder.flush();
  assert.deepEqual((await fixture.traceOf(tooLate)).messages, []);
  const callId = await fixture.openCall("chatty");
  for (let count = 0; count < 600; count++) recorder.observe(message("in", "chatty", "INFO sip:a@b SIP/2.0"));
  await recorder.flush();
  assert.equal((await fixture.traceOf(callId)).messages.length, 500);
  await fixture.close();
});

test("a long silent call is traced to its BYE, and no longer after its end", async () => {
  const fixture = await Fixture.start();
  const { recorder } = fixture;
  const callId = await fixture.openCall("long");
  recorder.observe(message("in", "long", "INVITE sip:a@b SIP/2.0"));
  await recorder.flush();
  fixture.pass(3_600_000);
  await recorder.flush();
  recorder.observe(message("in", "long", "BYE sip:a@b SIP/2.0"));
  await recorder.flush();
  assert.equal((await fixture.traceOf(callId)).messages.length, 2);
  fixture.endCall();
  recorder.observe(message("out", "long", "SIP/2.0 200 OK"));
  await recorder.flush();
  fixture.pass(180_000);
  await recorder.flush();
  recorder.observe(message("in", "long", "BYE sip:a@b SIP/2.0"));
  await recorder.flush();
  assert.equal((await fixture.traceOf(callId)).messages.length, 3);
  await fixture.close();
});

test("a flood of Call-IDs without a call exhausts neither the node's memory nor the traces of calls", async () => {
  const fixture = await Fixture.start();
  const { recorder } = fixture;
  const first = await fixture.openCall("first");
  const padding = `X: ${"y".repeat(60_000)}`;
  recorder.observe(message("in", "second", "INVITE sip:a@b SIP/2.0"));
  for (let count = 0; count < 20; count++)
    recorder.observe(message("in", `stray-${count}-${"z".repeat(1_000)}`, "INVITE sip:a@b SIP/2.0", padding));
  const second = await fixture.openCall("second");
  for (let count = 0; count < 4_000; count++)
    recorder.observe(message("in", `stray-${count}`, "OPTIONS sip:a@b SIP/2.0", padding));
  assert.ok(recorder.waitingBytes < 5 * 1024 * 1024, `${recorder.waitingBytes} bytes`);
  recorder.observe(message("in", "first", "INVITE sip:a@b SIP/2.0"));
  recorder.observe(message("in", "second", "BYE sip:a@b SIP/2.0"));
  await recorder.flush();
  assert.equal((await fixture.traceOf(first)).messages.length, 1);
  assert.equal((await fixture.traceOf(second)).messages.length, 2);
  fixture.pass(31_000);
  await recorder.flush();
  assert.equal(recorder.waitingBytes, 0);
  await fixture.close();
});

test("Call-IDs that the database rejects, or a deleted call, do not affect the traces of other calls", async () => {
  const fixture = await Fixture.start();
  const { server, recorder } = fixture;
  recorder.observe(message("in", "a\0b", "OPTIONS sip:a@b SIP/2.0"));
  recorder.observe(message("in", "c".repeat(3_000), "INVITE sip:a@b SIP/2.0"));
  const long = await fixture.openCall("c".repeat(3_000));
  recorder.claim("gone", randomUUID());
  recorder.observe(message("in", "gone", "INVITE sip:a@b SIP/2.0"));
  const after = await fixture.openCall("after");
  recorder.observe(message("in", "after", "INVITE sip:a@b SIP/2.0"));
  await recorder.flush();
  for (const callId of [long, after]) assert.equal((await fixture.traceOf(callId)).messages.length, 1);
  assert.deepEqual(
    await server.database
      .select()
      .from(sipTraceMessages)
      .then((rows) => rows.length),
    2,
  );
  await fixture.close();
});

test("traces are deleted after the retention time", async () => {
  const fixture = await Fixture.start();
  const { server, recorder } = fixture;
  const callId = await fixture.openCall("old");
  recorder.observe(message("in", "old", "INVITE sip:a@b SIP/2.0"));
  await recorder.flush();
  const at = fixture.now.getTime();
  await deleteExpiredTracesJob(server.modules.sipTraces, 7, { now: () => new Date(at + 6 * DAY_MS) }).run({});
  assert.equal((await fixture.traceOf(callId)).messages.length, 1);
  await deleteExpiredTracesJob(server.modules.sipTraces, 7, { now: () => new Date(at + 8 * DAY_MS) }).run({});
  assert.equal((await fixture.traceOf(callId)).messages.length, 0);
  await fixture.close();
});
