import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics, type TurnParts } from "./metrics.ts";
import { type Family, readExposition } from "./testing.ts";

const TURN: TurnParts = {
  endpointingMs: 600,
  sttMs: 120,
  llmFirstTokenMs: 180,
  toolMs: 100,
  llmFirstClauseMs: 20,
  ttsFirstByteMs: 120,
  waitMs: 100,
  overheadMs: 4,
  totalMs: 1180,
};

async function expose(metrics: Metrics): Promise<Map<string, Family>> {
  return readExposition(await metrics.registry.metrics());
}

function createMetrics(): Metrics {
  const metrics = new Metrics({
    wheelLagP99Ms: () => 2,
    lagCounts: () => [5, 3, 0, 2],
    modelUsability: () => new Map([["smart-turn", 0]]),
    processFaults: () => 4,
    openCircuits: () => 0,
    sipTransactions: () => 4,
  });
  metrics.addGauge("parley_active_calls", "Calls of the node.", () => 3);
  metrics.addCounter("parley_sip_number_lookups_total", "Queries for numbers.", () => 7);
  return metrics;
}

test("SIP transactions and number lookups are read at each scrape", async () => {
  const families = await expose(createMetrics());
  for (const [name, value] of [
    ["parley_sip_transactions", 4],
    ["parley_sip_number_lookups_total", 7],
  ] as const)
    assert.equal(families.get(name)?.samples[0]?.value, value);
});

test("a node's metrics are valid from its start", async () => {
  const families = await expose(createMetrics());
  assert.deepEqual(
    families.get("parley_active_calls")?.samples.map(({ value }) => value),
    [3],
  );
  assert.equal(families.get("parley_media_wheel_lag_p99_seconds")?.samples[0]?.value, 0.002);
});

test("exceptions inside and outside calls are counted separately", async () => {
  const metrics = createMetrics();
  metrics.observeFault();
  const families = await expose(metrics);
  assert.equal(families.get("parley_call_faults_total")?.samples[0]?.value, 1);
  assert.equal(families.get("parley_process_faults_total")?.samples[0]?.value, 4);
});

test("frames of audio are counted by lateness in histogram buckets", async () => {
  const samples = (await expose(createMetrics())).get("parley_media_frames_total")?.samples ?? [];
  const atMost = (le: string): number | undefined => samples.find(({ labels }) => labels["le"] === le)?.value;
  assert.deepEqual(["0.0005", "0.001", "0.0015", "0.002", "0.1", "+Inf"].map(atMost), [5, 8, 8, 10, 10, 10]);
});

test("each part of a turn is counted once, in seconds", async () => {
  const metrics = createMetrics();
  metrics.observeTurn(TURN);
  metrics.observeTurn({ ...TURN, totalMs: 2180 });
  const { type, samples = [] } = (await expose(metrics)).get("parley_turn_seconds") ?? {};
  assert.equal(type, "histogram");
  const of = (suffix: string, part: string): number | undefined =>
    samples.find(({ name, labels }) => name.endsWith(suffix) && labels["part"] === part)?.value;
  const parts = [
    "endpointing",
    "stt",
    "llm_first_token",
    "tool",
    "llm_first_clause",
    "tts_first_byte",
    "wait",
    "overhead",
    "total",
  ];
  assert.deepEqual([...new Set(samples.map(({ labels }) => labels["part"]))], parts);
  for (const part of parts) assert.equal(of("_count", part), 2);
  assert.ok(Math.abs((of("_sum", "total") ?? 0) - 3.36) < 1e-9);
});

test("calls are counted by their end, and lost utterances", async () => {
  const metrics = createMetrics();
  metrics.observeCall("user_hangup");
  metrics.observeCall("user_hangup");
  metrics.observeCall("error_tts");
  metrics.observeLostAudio();
  const families = await expose(metrics);
  assert.deepEqual(
    families.get("parley_calls_total")?.samples.map(({ labels, value }) => [labels["end_reason"], value]),
    [
      ["user_hangup", 2],
      ["error_tts", 1],
    ],
  );
  assert.equal(families.get("parley_lost_speech_total")?.samples[0]?.value, 1);
});

test("stalls of the event loop are counted by their length in seconds", async () => {
  const metrics = createMetrics();
  metrics.observeStall(30);
  metrics.observeStall(101);
  const samples = (await expose(metrics)).get("parley_event_loop_stall_seconds")?.samples ?? [];
  const atMost = (le: string): number | undefined => samples.find(({ labels }) => labels["le"] === le)?.value;
  assert.deepEqual(["0.02", "0.03", "0.1", "0.15", "+Inf"].map(atMost), [0, 1, 1, 2, 2]);
});

test("an invalid exposition is reported", () => {
  const described = "# HELP a_total A.\n# TYPE a_total counter\n";
  readExposition(`${described}a_total 1\n`);
  for (const text of [
    "a_total 1\n",
    `${described}a_total 1\na_total 2\n`,
    `${described}a_total 1\n${described}a_total{x="y"} 1\n`,
    "# HELP a A.\n# TYPE a counter\na 1\n",
    '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
  ])
    assert.throws(() => readExposition(text), assert.AssertionError, text);
});
