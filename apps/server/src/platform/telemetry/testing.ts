import assert from "node:assert/strict";
import { Metrics } from "./metrics.ts";

interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface Family {
  name: string;
  type: string;
  help: string;
  samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const SAMPLE = /^([^{ ]+)(?:\{(.*)\})? ([^ ]+)$/;
/** Suffixes of the samples' names, beside the name of the family itself. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"],
};

/**
 * Reads Prometheus' text format (version 0.0.4) as strictly as a checker does: every family described and typed once and in
 * one piece, no series twice, histograms cumulative and whole, names in base units.
 */
export function readExposition(text: string): Map<string, Family> {
  assert.ok(text.endsWith("\n"), "the last line has no end");
  const families = new Map<string, Family & { samples: Sample[] }>();
  const series = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let family: (Family & { samples: Sample[] }) | undefined;
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP") help = { name, text: rest };
    else if (keyword === "TYPE") {
      assert.equal(help?.name, name, `${name} has no HELP before its TYPE`);
      assert.ok(!families.has(name), `${name} is described twice`);
      family = { name, type: rest, help: help?.text ?? "", samples: [] };
      families.set(name, family);
    } else {
      const sample = readSample(line);
      assert.ok(family !== undefined && isOf(family, sample), `${line} is outside its family`);
      const key = line.slice(0, line.lastIndexOf(" "));
      assert.ok(!series.has(key), `${key} is there twice`);
      series.add(key);
      family.samples.push(sample);
    }
  }
  for (const each of families.values()) check(each);
  return families;
}

function readSample(line: string): Sample {
  const [, name = "", labelText = "", value = ""] = SAMPLE.exec(line) ?? [];
  assert.match(name, NAME, line);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < labelText.length) {
    const [, label = "", text = ""] = LABEL.exec(labelText) ?? assert.fail(`labels of ${line}`);
    assert.ok(!(label in labels), `${label} twice in ${line}`);
    labels[label] = text;
  }
  const number = value === "+Inf" ? Infinity : Number(value);
  assert.ok(!Number.isNaN(number) || value === "NaN" || value === "Nan", line);
  return { name, labels, value: number };
}

function isOf(family: Family, { name }: Sample): boolean {
  return (SUFFIXES[family.type] ?? [""]).some((suffix) => name === family.name + suffix);
}

function check({ name, type, help, samples }: Family): void {
  assert.match(name, NAME);
  assert.ok(["counter", "gauge", "histogram", "summary"].includes(type), `${name} is a ${type}`);
  assert.ok(help.length > 0, `${name} is not described`);
  assert.doesNotMatch(name, /_(ms|milliseconds|minutes|kb|mb)(_|$)/, `${name} is in no base unit`);
  if (type === "counter") assert.ok(name.endsWith("_total"), `the counter ${name} does not end in _total`);
  if (type === "histogram") for (const buckets of bucketsOf(name, samples)) checkBuckets(name, buckets);
}

interface Buckets {
  bounds: number[];
  counts: number[];
  count: number | undefined;
  hasSum: boolean;
}

/** One for each set of labels. */
function bucketsOf(name: string, samples: readonly Sample[]): Iterable<Buckets> {
  const groups = new Map<string, Buckets>();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    const key = Object.entries(labels)
      .map((label) => label.join("="))
      .toSorted()
      .join();
    const group = groups.get(key) ?? { bounds: [], counts: [], count: undefined, hasSum: false };
    groups.set(key, group);
    if (sample.name === `${name}_sum`) group.hasSum = true;
    else if (sample.name === `${name}_count`) group.count = sample.value;
    else {
      group.bounds.push(le === "+Inf" ? Infinity : Number(le));
      group.counts.push(sample.value);
    }
  }
  return groups.values();
}

function checkBuckets(name: string, { bounds, counts, count, hasSum }: Buckets): void {
  assert.deepEqual(
    bounds,
    [...new Set(bounds)].toSorted((a, b) => a - b),
    `bounds of ${name}`,
  );
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
    `${name} is not cumulative`,
  );
  assert.equal(bounds.at(-1), Infinity, `${name} has no bucket for all`);
  assert.equal(counts.at(-1), count, `${name} counts differently in its buckets`);
  assert.ok(hasSum, `${name} has no sum`);
}

/** Metrics of a node without media processes, models and SIP. */
export function createIdleMetrics(): Metrics {
  return new Metrics({
    wheelLagP99Ms: () => 0,
    lagCounts: () => [],
    modelUsability: () => new Map(),
    processFaults: () => 0,
    openCircuits: () => 0,
    sipTransactions: () => 0,
  });
}
