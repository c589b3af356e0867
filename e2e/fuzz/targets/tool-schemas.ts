import { readRecording } from "../../support/audio/recordings.ts";
import { TestCaller } from "../../support/phone/test-caller.ts";
import type { FuzzedNode } from "../node/fuzzed-node.ts";
import { exchange, httpRequest, tellAnswers } from "../raw-http.ts";
import type { Random } from "../random.ts";
import { fillIn, type Target } from "../target.ts";
import { whenThereIsRoom } from "../../support/platform/when-there-is-room.ts";

type Schema = Record<string, unknown>;

/** Leaves space for the API's other checks: it accepts schemas of 64 KiB. */
const MAX_SCHEMA_CHARACTERS = 64_000;

const patterns = [
  "^(a+)+$",
  "(a|a)*b",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(?=(a+))\\1*b",
  "[",
  "\\p{L}{1,1000}",
  "(".repeat(2000),
  "a{0,65535}{0,65535}",
  "(?:a?){50}a{50}",
  "^(?:.*,){30}$",
];
const oddities: readonly Schema[] = [
  { $ref: "#" },
  { $ref: "#/properties/value" },
  { $ref: "http://evil.example/schema" },
  { $ref: "#/$defs/none" },
  { $ref: "#/%" },
  { type: ["string", "string", "nothing"] },
  { enum: [] },
  { minLength: -1 },
  { maximum: "a" },
  { multipleOf: 0 },
  { multipleOf: 1e-300 },
  { uniqueItems: true, type: "array" },
  { required: ["__proto__", "constructor"] },
  { properties: { ["__proto__"]: { type: "string" } } },
  { format: "\0" },
  { not: {} },
  conditional({}),
  { default: "\u0000" },
  { contains: {}, minContains: 1e9 },
  { minItems: 2 ** 53, type: "array" },
  { dependentSchemas: { a: { $ref: "#" } } },
  { $dynamicRef: "#a", $id: "http://[", $anchor: "\0" },
];

/** Built from entries, because an object with `then` would look like a promise. */
function conditional(schema: Schema): Schema {
  const keywords = ["if", "then", "else"];
  return Object.fromEntries(keywords.map((keyword) => [keyword, keyword === "then" ? schema : {}]));
}

/** Each level refers twice to the one below. */
function doubling(levels: number): Schema {
  const defs: Record<string, Schema> = { level0: { type: "string" } };
  for (let level = 1; level <= levels; level++) {
    const below = { $ref: `#/$defs/level${level - 1}` };
    defs[`level${level}`] = { type: "object", properties: { a: below, b: below } };
  }
  return { type: "object", properties: { value: { $ref: `#/$defs/level${levels}` } }, $defs: defs };
}

function nested(levels: number, wrap: (inner: Schema) => Schema): Schema {
  let schema: Schema = { type: "string" };
  for (let level = 0; level < levels; level++) schema = wrap(schema);
  return { type: "object", properties: { value: schema } };
}

/** Each contains the inner schema once. Schemas that double with each level are a separate kind. */
const wraps: readonly ((inner: Schema) => Schema)[] = [
  (inner) => ({ type: "object", properties: { value: inner } }),
  (inner) => ({ type: "array", items: inner }),
  (inner) => ({ anyOf: [{ type: "number" }, inner] }),
  (inner) => ({ allOf: [inner, { type: "string" }] }),
  (inner) => ({ not: inner }),
  conditional,
  (inner) => ({ additionalProperties: inner }),
];

const kinds: readonly ((random: Random) => Schema)[] = [
  (random) => doubling(random.length(60)),
  (random) => nested(random.length(1200), random.pick(wraps)),
  // Doubles in size with each level.
  (random) => nested(random.below(12), (inner) => ({ anyOf: [inner, inner] })),
  (random) => ({ type: "object", properties: { value: { type: "string", pattern: random.pick(patterns) } } }),
  (random) => ({ type: "object", patternProperties: { [random.pick(patterns)]: random.pick(oddities) } }),
  (random) => ({ type: "object", properties: { value: random.pick(oddities) } }),
  (random) => ({ ...random.pick(oddities), ...random.pick(oddities) }),
  (random) => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: random.length(2500) }, (_, index) => [`p${index}`, random.pick(oddities)]),
    ),
  }),
  (random) => ({
    type: "object",
    properties: { value: { enum: Array.from({ length: random.length(9000) }, String) } },
  }),
];

function toolInputs(random: Random): () => Buffer {
  return () => {
    const parameters = random.pick(kinds)(random);
    const isChange = random.chance(0.2);
    const schema = { type: "function", function: { name: "f", description: "d", parameters } };
    const name = `fuzz_${random.below(2 ** 31)}`;
    const body = JSON.stringify({ ...(!isChange && { name, webhookUrl: "http://127.0.0.1:9/" }), schema });
    const path = `/v1/agents/{{agent}}/custom-tools${isChange ? "/{{tool}}" : ""}`;
    const headers = { "x-api-key": "{{key}}", "content-type": "application/json" };
    return httpRequest(isChange ? "PATCH" : "POST", path, {
      headers,
      body: body.slice(0, MAX_SCHEMA_CHARACTERS * 2),
    });
  };
}

export const toolSchemas: Target = {
  name: "tool-schemas",
  concurrency: 2,
  pauseMs: 0,
  inputs: toolInputs,
  open: async (node, onAnswer) => {
    const { platform, agents } = node;
    const { agentId } = agents.tools;
    const schema = { description: "d", parameters: { type: "object", properties: {} } };
    const changed = { name: "fuzz_changed", webhookUrl: "http://127.0.0.1:9/", schema };
    const { id } = await platform.api.createCustomTool(agentId, changed);
    const values = { key: platform.apiKey, agent: agentId, tool: id };
    return {
      send: async (input) =>
        tellAnswers(
          await exchange({ port: platform.httpPort, bytes: fillIn(input, values) }),
          onAnswer,
          input,
        ),
      // Accepted schemas are then used: a conversation's model calls a tool.
      close: async () => {
        await useTools(node);
        const tools = await platform.api.listCustomTools(agentId);
        for (const tool of tools) await platform.api.deleteCustomTool(agentId, tool.id);
      },
    };
  },
};

async function useTools({ platform, agents }: FuzzedNode): Promise<void> {
  const { sipPort } = platform;
  const options = { sipPort, number: agents.tools.number, from: "+15550160001" };
  const caller = await whenThereIsRoom(async () => await TestCaller.call(options));
  try {
    await caller.agentToSpeak();
    const { startedAtMs } = await caller.say(await readRecording("go-forward.wav"));
    await caller.agentToSpeak({ sinceMs: startedAtMs });
  } finally {
    await caller.hangUp();
  }
}
