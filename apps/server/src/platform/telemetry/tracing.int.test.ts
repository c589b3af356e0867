import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { pino } from "pino";
import { CallSpans } from "./call-spans.ts";
import { OtlpExporter } from "./otlp-exporter.ts";

const logger = pino({ level: "silent" });
const latency = {
  endpointingMs: 600,
  sttMs: 120,
  textWaitMs: 20,
  decisionMs: 620,
  llmFirstTokenMs: 300,
  toolMs: 0,
  clauseMs: 50,
  ttsFirstByteMs: 200,
  waitMs: 0,
  totalMs: 1180,
};

test("a collector receives a call with its turns, each with its parts in order", async () => {
  const requests: { url: string | undefined; key: unknown; body: unknown }[] = [];
  const collector = createServer((request, response) => {
    void json(request).then((body) => {
      requests.push({ url: request.url, key: request.headers["x-key"], body });
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  const address = collector.address();
  assert.ok(typeof address === "object" && address !== null);
  const endpoint = `http://127.0.0.1:${address.port}`;
  const exporter = new OtlpExporter({ endpoint, headers: { "x-key": "k" }, logger });
  let nowMs = 1_700_000_000_000;
  const trace = new CallSpans(exporter, "call-1", () => nowMs);
  nowMs += 5_000;
  trace.turn(latency);
  trace.fault("tts", "elevenlabs/flash", "no audio within 1200 ms");
  nowMs += 1_000;
  trace.end("error_tts");
  await exporter.close();
  collector.close();

  const [request] = requests;
  assert.ok(request !== undefined && requests.length === 1);
  assert.equal(request.url, "/v1/traces");
  assert.equal(request.key, "k");
  const { spans } = JSON.parse(JSON.stringify(request.body)).resourceSpans[0].scopeSpans[0];
  const names = spans.map((span: { name: string }) => span.name);
  assert.deepEqual(names, [
    "turn",
    "end of turn",
    "language model",
    "first clause",
    "speech synthesis",
    "call",
  ]);
  const call = spans.at(-1);
  assert.equal(call.startTimeUnixNano, "1700000000000000000");
  assert.equal(call.endTimeUnixNano, "1700000006000000000");
  assert.equal(call.status.code, 2);
  assert.equal(call.events[0].name, "provider fault");
  assert.equal(spans[0].parentSpanId, call.spanId);
  assert.equal(spans[1].parentSpanId, spans[0].spanId);
  assert.equal(spans[2].startTimeUnixNano, spans[1].endTimeUnixNano);
  assert.match(call.traceId, /^[0-9a-f]{32}$/);
});

test("an unreachable collector loses only its spans", async () => {
  const exporter = new OtlpExporter({ endpoint: "http://127.0.0.1:9", headers: {}, logger });
  new CallSpans(exporter, "call-1").end("user_hangup");
  await exporter.close();
  await exporter.close();
});
