/**
 * Overhead of a chat turn: from a visitor's message to the first word of the reply on the visitor's stream, with a
 * language model that answers at once; and the memory of an idle conversation. A node's part runs in a process of its
 * own with a PostgreSQL of its own; visitors and model run in this one.
 *
 *     npm run bench -- chat [--json] [--conversations N] [--rate TURNS_PER_SECOND] [--seconds S]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startScriptedOpenAi } from "../packages/providers/src/testing/index.ts";
import type { NodeMethods } from "./chat/node-process.ts";
import { Visitor } from "./chat/visitor.ts";
import { Peer } from "./support/peer.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    conversations: { type: "string", default: "500" },
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "30" },
  },
});
const conversationCount = Number(options.conversations);
const rate = Number(options.rate);
const turnCount = rate * Number(options.seconds);
/** Turns before the measurement, in which code is compiled and pools are filled. */
const WARM_UP = 200;
const OPENING_AT_ONCE = 20;

const yardstick = new Yardstick();
const model = await startScriptedOpenAi({
  reply: () => ({ text: "We are open from nine until six, Monday to Friday." }),
});
const node = new Peer<NodeMethods>(new URL("chat/node-process.ts", import.meta.url));
const widget = await node.ask("start", `${model.url}/v1`);

let visitorCount = 0;
async function openVisitors(count: number): Promise<Visitor[]> {
  const visitors = Array.from({ length: count }, () => new Visitor(widget, (visitorCount += 1)));
  for (let first = 0; first < count; first += OPENING_AT_ONCE)
    await Promise.all(visitors.slice(first, first + OPENING_AT_ONCE).map((visitor) => visitor.open()));
  return visitors;
}

const first = await openVisitors(OPENING_AT_ONCE);
for (let turn = 0; turn < WARM_UP; turn += OPENING_AT_ONCE)
  await Promise.all(first.map((visitor) => visitor.ask("Warm up.")));
const memoryBeforeKib = await node.ask("measureMemory", undefined);
const others = await openVisitors(conversationCount - first.length);
for (const visitor of others) await visitor.ask("When are you open?");
const memoryKib = await node.ask("measureMemory", undefined);
const kibPerIdleConversation = rounded((memoryKib - memoryBeforeKib) / others.length);

const visitors = [...first, ...others];
const turns: Promise<number>[] = [];
const beganMs = performance.now();
for (let turn = 0; turn < turnCount; turn++) {
  const waitMs = beganMs + (1000 * turn) / rate - performance.now();
  if (waitMs > 0) await sleep(waitMs);
  // The conversations take turns, so that each has had its reply before its next message.
  const visitor = visitors[turn % visitors.length];
  if (visitor !== undefined) turns.push(visitor.ask(`Question ${turn}?`));
}
const overheadsMs = (await Promise.all(turns)).sort((a, b) => a - b);
const overheadP50Ms = rounded(percentile(overheadsMs, 0.5));
const overheadP99Ms = rounded(percentile(overheadsMs, 0.99));

console.log(
  `${conversationCount} conversations, ${turnCount} turns at ${rate}/s: first word after ${overheadP50Ms} ms (p50), ` +
    `${overheadP99Ms} ms (p99)\nmemory per idle conversation: ${kibPerIdleConversation} KiB`,
);
const report = yardstick.finish({ "first word p50": overheadP50Ms, "first word p99": overheadP99Ms });
for (const visitor of visitors) visitor.close();
await node.ask("stop", undefined);
await node.close();
await model.close();
console.log(JSON.stringify({ ...report, overheadP50Ms, overheadP99Ms, kibPerIdleConversation }));
