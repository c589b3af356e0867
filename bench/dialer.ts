/**
 * Claims of a campaign's next contact while 10 thousand, 100 thousand and 1 million contacts wait, and the time to accept ten
 * thousand contacts in one request. Of the largest requests also the longest time for which the process does nothing else.
 *
 *     npm run bench -- dialer [--json] [--rounds N] [--claims N]
 *
 * A claim is the dialer's transaction: it locks the campaign, finds the next contact in the time zones whose window is open,
 * and records its call. The sizes are measured by turns on one embedded PostgreSQL.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { DialClaims } from "../apps/server/src/modules/campaigns/dialer/dial-claims.ts";
import { createFeatures } from "../apps/server/src/node/features.ts";
import { createTestResources } from "../apps/server/src/node/testing.ts";
import { ClosingStack } from "../apps/server/src/platform/closing-stack.ts";
import { connectDatabase } from "../apps/server/src/platform/database/connect.ts";
import { createHttpServer } from "../apps/server/src/platform/http/http-server.ts";
import { Idempotency } from "../apps/server/src/platform/idempotency/idempotency.ts";
import { RateLimiter } from "../apps/server/src/platform/rate-limit/rate-limiter.ts";
import { createLogger } from "../apps/server/src/platform/logging/logging.ts";
import { percentile, rounded, sumOf } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    claims: { type: "string", default: "100" },
  },
});

const SIZES = [10_000, 100_000, 1_000_000];
const CONTACTS = 10_000;
const ACCEPTED = 5;
const UNLIMITED = 1_000_000;
const timezones = [
  "America/New_York",
  "America/Chicago",
  "America/Denver",
  "America/Phoenix",
  "America/Los_Angeles",
  "America/Anchorage",
  "Pacific/Honolulu",
  "America/Puerto_Rico",
];
/** The window is open in six of the time zones. */
const START_MS = Date.parse("2026-11-23T18:00:00Z");

const logger = createLogger({ level: "silent" });
const closers: (() => Promise<unknown>)[] = [];

async function open() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-bench-dialer-"));
  closers.unshift(async () => await rm(dataDirectory, { recursive: true, force: true }));
  const configuration = { dataDirectory, database: undefined, encryptionKeys: undefined };
  const { database, encryption, close } = await connectDatabase(configuration, logger);
  closers.unshift(close);
  const clock = { nowMs: START_MS, now: () => new Date(clock.nowMs) };
  const features = createFeatures(createTestResources({ database, encryption, clock }));
  const started = new ClosingStack();
  features.closeWith(started);
  closers.unshift(async () => await started.close());
  const { services: modules } = features;
  const { id: organizationId } = await modules.organizations.ensure(database, "bench", "Bench");
  await modules.organizationLimits.override(database, organizationId, {
    callsPerMinute: UNLIMITED,
    concurrentCalls: UNLIMITED,
  });
  const by = { organizationId, actor: { type: "api_key", name: "bench" } } as const;
  const trunk = await modules.sipTrunks.create(organizationId, {
    friendlyName: "Trunk",
    proxyAddress: "127.0.0.1",
  });
  const { id: agentId } = await modules.agents.create(by, { name: "Agent", sipTrunkId: trunk.id });
  const fromNumber = "+14155550123";
  await modules.phoneNumbers.add(by, agentId, { e164: fromNumber });
  const { key: apiKey } = await modules.apiKeys.create(organizationId, "bench", null);
  const findLimits = async (id: string) => await modules.organizationLimits.find(id);
  const app = await createHttpServer({
    logger,
    authenticate: async (key) => await modules.apiKeys.authenticate(key),
    idempotency: new Idempotency(database, encryption, clock),
    rateLimiter: new RateLimiter(database, clock, findLimits),
    findLimits,
  });
  features.bindRoutes(app);
  closers.unshift(async () => await app.close());
  return { database, modules, clock, organizationId, line: { agentId, fromNumber }, app, apiKey };
}

type Bench = Awaited<ReturnType<typeof open>>;

/** Creates a running campaign with this many contacts. */
async function createCampaign({ database, modules, organizationId, line, clock }: Bench, waiting: number) {
  const { id } = await modules.campaigns.create(organizationId, {
    ...line,
    name: String(waiting),
    callingWindow: { start: "08:00", end: "20:00", timezone: "America/New_York" },
    maxConcurrency: 10_000,
    callsPerSecond: 10,
  });
  // Contacts of one request have one time, and are dialed in their order.
  for (let first = 0; first < waiting; first += CONTACTS) {
    await database.$client.query(
      `insert into campaign_contacts (campaign_id, to_number, variables, timezone, due_at)
       select $1, '+1415' || (2000000 + n), '{"name":"Ada"}', ($2::text[])[1 + n % cardinality($2::text[])],
         $3::timestamptz + n / ${CONTACTS} * interval '1 ms' - interval '1 hour'
       from generate_series($4::int, $5::int) as n`,
      [id, timezones, clock.now(), first, Math.min(waiting, first + CONTACTS) - 1],
    );
  }
  await database.$client.query(
    `update campaigns set status = 'running', timezones = $2, contact_counts = jsonb_build_object('pending', $3::int)
     where id = $1`,
    [id, timezones, waiting],
  );
  return { waiting, id, timesMs: [] as number[] };
}

const noPlace = { [Symbol.dispose]: () => undefined };

async function measureClaims(bench: Bench, campaigns: Awaited<ReturnType<typeof createCampaign>>[]) {
  const { database, modules, clock, organizationId, line } = bench;
  const planned = await modules.outboundPlanner.planLine(organizationId, line);
  const prepared = { line: planned, place: { media: noPlace, ...noPlace } };
  const { calls, outboundCalls, doNotCall } = modules;
  const claims = new DialClaims(database, { clock, calls, outboundCalls, doNotCall });
  for (let round = 0; round < Number(options.rounds) + 1; round++) {
    for (let index = 0; index < Number(options.claims); index++) {
      // The sizes take turns at each claim, and at being first: records of earlier calls slow down later ones.
      for (const turn of campaigns.keys()) {
        const campaign = campaigns[(turn + index) % campaigns.length];
        if (campaign === undefined) throw new Error("there is no campaign");
        clock.nowMs += 100;
        const startedAt = performance.now();
        const claim = await claims.claim(campaign.id, prepared);
        const ms = performance.now() - startedAt;
        if (claim === undefined) throw new Error("no contact was claimed");
        // The first round compiles the code.
        if (round > 0) campaign.timesMs.push(ms);
        const { callId } = claim.recorded;
        await calls.finish(callId, { status: "canceled", endReason: "canceled", endedAt: clock.now() });
      }
    }
    await database.$client.query("delete from calls");
    await database.$client.query("delete from conversations");
  }
}

/** Returns the median time of a request to the HTTP server with ten thousand contacts. */
async function measureAcceptance({ app, apiKey, line }: Bench): Promise<number> {
  const timesMs: number[] = [];
  for (let run = 0; run <= ACCEPTED; run++) {
    const contacts = Array.from({ length: CONTACTS }, (_, index) => ({
      toNumber: `+1 (415) ${String(200 + Math.floor(index / 10_000))}-${String(index % 10_000).padStart(4, "0")}`,
      timezone: timezones[index % timezones.length] ?? "UTC",
      variables: { name: `Person ${index}`, city: "Oakland", visits: index },
    }));
    const payload = { ...line, name: "Accepted", contacts };
    const startedAt = performance.now();
    const answer = await app.inject({
      method: "POST",
      url: "/v1/campaigns",
      headers: { "x-api-key": apiKey },
      payload,
    });
    if (run > 0) timesMs.push(performance.now() - startedAt);
    const { data }: { data: { contactsAdded: number } } = answer.json();
    if (data.contactsAdded !== CONTACTS) throw new Error("contacts are missing");
  }
  return percentile(timesMs, 0.5);
}

/** Returns the processor time of the longest block of the event loop while requests of about 14 MiB are accepted. */
async function measureLongestBlock({ app, apiKey, line }: Bench): Promise<number> {
  const variables = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`variable_${index}`, "x".repeat(75)]),
  );
  const contacts = Array.from({ length: CONTACTS }, (_, index) => ({
    toNumber: `+1415${2_000_000 + index}`,
    variables,
  }));
  const payload = Buffer.from(JSON.stringify({ ...line, name: "Largest", contacts }));
  let longestMs = 0;
  for (let run = 0; run <= ACCEPTED; run++) {
    const stop = watchBlocks((ms) => {
      // The first request compiles the code.
      if (run > 0) longestMs = Math.max(longestMs, ms);
    });
    const { statusCode } = await app.inject({
      method: "POST",
      url: "/v1/campaigns",
      headers: {
        "x-api-key": apiKey,
        "content-type": "application/json",
        "idempotency-key": `largest-${run}`,
      },
      payload,
    });
    stop();
    if (statusCode !== 201) throw new Error(`the request was refused: ${statusCode}`);
  }
  return longestMs;
}

/** Reports the processor time of each turn of the event loop, which other programs on the machine do not lengthen. */
function watchBlocks(report: (ms: number) => void): () => void {
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = cpuMs();
  const turn = (): void => {
    const now = cpuMs();
    report(now - last);
    last = now;
    immediate = setImmediate(turn);
  };
  let immediate = setImmediate(turn);
  return () => clearImmediate(immediate);
}

try {
  const yardstick = new Yardstick();
  const bench = await open();
  const campaigns = [];
  for (const size of SIZES) campaigns.push(await createCampaign(bench, size));
  await bench.database.$client.query("vacuum analyze campaign_contacts");
  await measureClaims(bench, campaigns);
  const rows = campaigns.map(({ waiting, timesMs }) => ({
    waiting,
    claimsPerSecond: rounded((1000 * timesMs.length) / sumOf(timesMs), 1),
    claimP99Ms: rounded(percentile(timesMs, 0.99)),
  }));
  const acceptTenThousandMs = rounded(await measureAcceptance(bench), 0);
  const longestBlockMs = rounded(await measureLongestBlock(bench), 0);
  for (const { waiting, claimsPerSecond, claimP99Ms } of rows)
    console.log(`${waiting} contacts waiting: ${claimsPerSecond} claims per second, p99 ${claimP99Ms} ms`);
  console.log(`${CONTACTS} contacts are accepted in ${acceptTenThousandMs} ms`);
  console.log(`requests of 14 MiB block other work for ${longestBlockMs} ms at most`);
  const report = yardstick.finish({ "ten thousand contacts": acceptTenThousandMs });
  if (options.json) console.log(JSON.stringify({ rows, acceptTenThousandMs, longestBlockMs, ...report }));
} finally {
  for (const close of closers) await close();
}
