/**
 * Attacks a whole node with calls in progress.
 *
 *     npm run fuzz -- [--minutes 1] [--seed NUMBER] [--target sip-udp,rtp,…] [--replay FILE]
 *
 * Inputs, criteria and the handling of findings: docs/hardening.md, "Fuzzing".
 */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Attack, emptyTally, type Tally } from "./attack.ts";
import { type Finding, keptFindings, readFinding, saveFinding } from "./findings.ts";
import { Bystanders } from "./node/bystanders.ts";
import { FuzzedNode } from "./node/fuzzed-node.ts";
import { NodeWatch } from "./node/node-watch.ts";
import { findTarget, type FuzzOptions, readOptions } from "./options.ts";
import { Random } from "./random.ts";
import type { Target } from "./target.ts";

/** Targets are attacked one after the other, so that a finding belongs to one target. */
const SLICE_MS = 2_500;
/** Findings after which the node or a bystander is damaged, so that the attack ends. */
const fatal = new Set(["child", "bystander"]);
/** Time for the start, the end of every call and hanging up. */
const MARGIN_SECONDS = 240;
/** The node's log, written if there is a finding. */
const LOG_FILE = path.join(tmpdir(), "parley-fuzz.log");

const options = readOptions(process.argv.slice(2));
const tallies = new Map<string, Tally>();
const findings: Finding[] = [];
console.log(`seed ${options.seed}, ${options.minutes} min`);

const node = await FuzzedNode.start();
let bystanders: Bystanders | undefined;
try {
  bystanders = await Bystanders.call(node, options.minutes * 60 + MARGIN_SECONDS);
  node.bystanderPorts = bystanders.phones.map(({ remotePort }) => remotePort);
  const watch = await NodeWatch.start(node);
  const attack = new Attack(node, watch, bystanders);
  await fuzz(attack, options);
  if (!findings.some(({ kind }) => fatal.has(kind))) await finish(watch, bystanders);
} finally {
  if (findings.length > 0) await writeFile(LOG_FILE, node.platform.output);
  await bystanders?.close();
  await node.close();
}
report();
process.exit(findings.length === 0 ? 0 : 1);

async function fuzz(attack: Attack, { minutes, seed, targets, replay }: FuzzOptions): Promise<void> {
  const kept = replay === undefined ? await keptFindings() : [await readFinding(replay)];
  const names = new Set(targets.map(({ name }) => name));
  for (const { target, inputs } of kept.filter((each) => names.has(each.target)))
    if (await isOver(attack, findTarget(target), inputs, seed)) return;
  if (replay !== undefined) return;
  const sources = targets.map((target, index) => ({ target, next: target.inputs(new Random(seed + index)) }));
  const endMs = performance.now() + minutes * 60_000;
  do {
    for (const { target, next } of sources)
      if (await isOver(attack, target, forMs(next, SLICE_MS), seed)) return;
  } while (performance.now() < endMs);
}

/** Attacks once. Returns true after a fatal finding. */
async function isOver(
  attack: Attack,
  target: Target,
  inputs: Iterable<Buffer>,
  seed: number,
): Promise<boolean> {
  const tally = tallies.get(target.name) ?? emptyTally();
  tallies.set(target.name, tally);
  const problem = await attack.run(target, inputs, tally);
  const isKnown = findings.some(({ target: name, kind }) => name === target.name && kind === problem?.kind);
  if (problem === undefined || isKnown) return false;
  const smallest = problem.kind === "stall" ? await attack.shrinkStall(target, problem) : problem;
  const finding = { ...smallest, target: target.name, seed };
  findings.push(finding);
  console.log(`FOUND in ${target.name}: ${smallest.description}; saved in ${await saveFinding(finding)}`);
  return fatal.has(problem.kind);
}

function* forMs(next: () => Buffer, ms: number): Generator<Buffer> {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) yield next();
}

/**
 * Checks at the end: everything that was started has ended, memory was released, and the bystanders' records
 * are correct.
 */
async function finish(watch: NodeWatch, calls: Bystanders): Promise<void> {
  const add = (kind: string, description: string): void => {
    findings.push({ target: "node", kind, description, seed: options.seed, inputs: [] });
  };
  const remaining = await watch.waitForQuiet(calls.count);
  if (remaining !== undefined) add("quiet", remaining);
  const memory = await watch.compareMemory();
  for (const row of memory) if (row.isTooMuch) add("memory", `${row.process} has more in use than before`);
  console.table(
    Object.fromEntries(
      memory.map(({ process: name, beforeMib, afterMib }) => [
        name,
        { "MiB in use before": Math.round(beforeMib), "after quiet": Math.round(afterMib) },
      ]),
    ),
  );
  const { url } = node.platform;
  const ready = await fetch(`${url}/readyz`);
  if (ready.status !== 200) add("ready", `/readyz answers ${ready.status}: ${await ready.text()}`);
  for (const problem of await calls.finish()) add("bystander", problem);
}

function report(): void {
  const rows = [...tallies].map(([target, { sent, answers, worstStall }]) => [
    target,
    {
      sent,
      answers: [...answers].map(([answer, count]) => `${answer} ${count}`).join(", "),
      "worst stall": worstStall === 0 ? "< 5 ms" : `<= ${worstStall * 1000} ms`,
    },
  ]);
  console.table(Object.fromEntries(rows));
  for (const { target, kind, description } of findings)
    console.log(`FOUND ${target} (${kind}): ${description}`);
  console.log(
    `seed ${options.seed}: ${findings.length === 0 ? "nothing found" : `${findings.length} found`}`,
  );
}
