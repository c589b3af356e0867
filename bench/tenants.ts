/**
 * Two organizations on one node, one of them hostile: what the other one notices.
 *
 *     npm run bench -- tenants [--json] [--seconds N]
 *
 * The other organization uses its API at 20 requests per second and has two phone calls at a time, in each of which the
 * agent greets and answers a question; each end of a call sends a webhook. Measured alone (`calm`), and while the hostile
 * one floods the API on 36 connections (lists, agents, trunks, checks, analyses, calls, wrong keys), places calls over SIP
 * that it never hangs up, has its agents use tools of a server that does not answer, and has webhooks sent to names that
 * do not exist. The providers are scripted servers; the attackers run in a process of their own.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Platform } from "../e2e/support/platform/platform.ts";
import { startScriptedProviders } from "../e2e/support/platform/scripted-providers.ts";
import { Parley } from "../packages/client/src/api.ts";
import { Peer } from "./support/peer.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";
import type { AttackMethods, AttackTarget } from "./tenants/attack-process.ts";
import { Victim, type VictimRow, type VictimTarget } from "./tenants/victim.ts";

const OPERATOR_KEY = "operator_key_of_this_bench";
const [VICTIM_NUMBER, HOSTILE_NUMBER] = ["+15550190001", "+15550190002"];
const HOSTILE_ADDRESS = "127.0.0.2";
const WARM_UP_SECONDS = 5;
const LAG_INTERVAL_MS = 1_000;

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, seconds: { type: "string", default: "20" } },
});
const seconds = Number(options.seconds);

let victim: Victim | undefined;

/** Receives the webhooks of the other organization, and never answers the tools of the hostile one. */
const receiver = createServer((request, response) => {
  if (request.url !== "/ended") return;
  response.end();
  void json(request).then((body) => {
    const { data } = body as { data: { fromNumber: string } };
    victim?.noteWebhook(data.fromNumber);
  });
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const address = receiver.address();
if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
const receiverUrl = `http://127.0.0.1:${address.port}`;

async function setUpVictim({ api, url, apiKey, sipPort }: Platform): Promise<VictimTarget> {
  const trunk = await api.createSipTrunk({ friendlyName: "Own", allowedAddresses: ["127.0.0.1"] });
  const agent = await api.createAgent({
    name: "Own",
    sipTrunkId: trunk.id,
    voiceId: null,
    firstMessage: "Hello.",
    recordingEnabled: false,
    postCallWebhookUrl: `${receiverUrl}/ended`,
  });
  await api.addPhoneNumber(agent.id, { e164: VICTIM_NUMBER });
  return { url, apiKey, sipPort, number: VICTIM_NUMBER, agentId: agent.id };
}

async function setUpHostile({ url, sipPort }: Platform): Promise<AttackTarget> {
  const response = await fetch(`${url}/operator/v1/organizations`, {
    method: "POST",
    headers: { "x-api-key": OPERATOR_KEY, "content-type": "application/json" },
    body: JSON.stringify({ name: "Hostile", homeCountry: "DE" }),
  });
  const { data }: { data: { apiKey: string } } = JSON.parse(await response.text());
  const api = new Parley({ baseUrl: `${url}/v1`, apiKey: data.apiKey, maxRetries: 0 });
  const trunk = await api.createSipTrunk({
    friendlyName: "Hostile",
    proxyAddress: "127.0.0.2:9",
    allowedAddresses: [HOSTILE_ADDRESS],
  });
  const agent = await api.createAgent({
    name: "Hostile",
    sipTrunkId: trunk.id,
    voiceId: null,
    firstMessage: "Hello, this is a long greeting that takes some time to say, and then some more.",
    recordingEnabled: true,
    postCallWebhookUrl: "http://hooks.dead.invalid/ended",
    preCallWebhookUrl: "http://hooks.dead.invalid/before",
    postCallExtraction: [{ name: "topic", type: "string", description: "What the call was about." }],
  });
  await api.createCustomTool(agent.id, {
    name: "slow",
    webhookUrl: `${receiverUrl}/slow`,
    schema: { description: "Looks something up.", parameters: { type: "object", properties: {} } },
  });
  await api.addPhoneNumber(agent.id, { e164: HOSTILE_NUMBER });
  const { id: endedCallId } = await api.createCall({ agentId: agent.id, toNumber: "+493012345678" });
  await api.hangUpCall(endedCallId);
  const target = { url, apiKey: data.apiKey, sipPort, number: HOSTILE_NUMBER, sipAddress: HOSTILE_ADDRESS };
  return { ...target, agentId: agent.id, sipTrunkId: trunk.id, endedCallId };
}

interface Row extends VictimRow {
  /** Largest delay of audio frames, 99th percentile over 10 s. Above 5 ms a node with calls refuses further ones. */
  wheelLagMs: number | null;
}

function watchLag(platform: Platform): { stop: () => Promise<number | null> } {
  const over = new AbortController();
  const lags: number[] = [];
  const watching = (async () => {
    while (!over.signal.aborted) {
      lags.push((await platform.metric("parley_media_wheel_lag_p99_seconds")) * 1000);
      await sleep(LAG_INTERVAL_MS);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await watching;
      return rounded(percentile(lags, 1));
    },
  };
}

function print(phase: string, row: Row): void {
  console.log(
    `${phase.padEnd(9)} API ${row.apiRequests} requests, ${row.apiFailures} failed, p50 ${row.apiP50Ms} ms, p99 ${row.apiP99Ms} ms | ` +
      `${row.calls} calls, ${row.callFailures} failed, greeting p50 ${row.greetingP50Ms} max ${row.greetingMaxMs} ms, ` +
      `answer p50 ${row.answerP50Ms} max ${row.answerMaxMs} ms, longest gap ${row.gapMaxMs} ms | ` +
      `${row.webhooks} webhooks, max ${row.webhookMaxMs} ms | audio frames late by up to ${row.wheelLagMs} ms`,
  );
  for (const failure of row.failures) console.log(`          ${failure}`);
}

const yardstick = new Yardstick();
const providers = await startScriptedProviders("When are you open", ({ tools, lastUserText }) =>
  tools.includes("slow") && !lastUserText.includes("open")
    ? { toolCalls: [{ name: "slow", input: {} }] }
    : { text: "We are open from nine to one, on every day but Sunday." },
);
const platform = await Platform.start({
  env: {
    ...providers.env,
    PARLEY_OPERATOR_API_KEY: OPERATOR_KEY,
    PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true",
    PARLEY_LOG_LEVEL: "error",
  },
});
const attackers = new Peer<AttackMethods>(new URL("tenants/attack-process.ts", import.meta.url));
try {
  const target = await setUpVictim(platform);
  const hostile = await setUpHostile(platform);
  const measure = async (phase: string, length: number): Promise<Row> => {
    victim = new Victim(target);
    const watch = watchLag(platform);
    const row = { ...(await victim.run(length)), wheelLagMs: await watch.stop() };
    print(phase, row);
    return row;
  };
  await measure("warm-up", WARM_UP_SECONDS);
  const calm = await measure("calm", seconds);
  await attackers.ask("start", hostile);
  const attacked = await measure("attacked", seconds);
  const attack = await attackers.ask("stop", undefined);
  for (const [kind, counts] of Object.entries({ ...attack.requests, INVITEs: attack.invites }))
    console.log(
      `  ${kind}: ${Object.entries(counts)
        .map(([status, count]) => `${count} × ${status}`)
        .join(", ")}`,
    );
  const ratio = rounded((attacked.apiP99Ms ?? Number.NaN) / (calm.apiP99Ms ?? Number.NaN));
  console.log(`API p99 attacked / calm: ${ratio}`);
  const report = yardstick.finish({ "API p99, calm": calm.apiP99Ms, "API p99, attacked": attacked.apiP99Ms });
  if (options.json) console.log(JSON.stringify({ apiP99Ratio: ratio, calm, attacked, attack, ...report }));
} finally {
  await attackers.close();
  await platform.stop();
  await providers.close();
  receiver.closeAllConnections();
  receiver.close();
}
