import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { ProviderError } from "@parley/conversation";
import { type ScriptedEmbeddingsOptions, startScriptedEmbeddings } from "../testing/index.ts";
import { connectEmbeddings } from "./text-embedder.ts";

async function connect(context: TestContext, options: ScriptedEmbeddingsOptions, apiKey = "key") {
  const server = await startScriptedEmbeddings({ apiKey: "key", ...options });
  context.after(async () => await server.close());
  const embedder = connectEmbeddings({ baseUrl: `${server.url}/v1`, apiKey, model: "embed-1" });
  const embed = async (texts: readonly string[], timeoutMs = 5_000): Promise<Float32Array[]> =>
    await embedder.embed(texts, AbortSignal.timeout(timeoutMs));
  return { server, embed };
}

const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

test("texts become vectors of length 1, in their order, with one request", async (context) => {
  const { server, embed } = await connect(context, {});
  const [dogs, cats, same] = await embed(["dogs bark", "cats purr", "Bark, dogs!"]);
  assert.ok(dogs !== undefined && cats !== undefined && same !== undefined);
  assert.ok(Math.abs(dot(dogs, dogs) - 1) < 1e-6);
  assert.ok(Math.abs(dot(dogs, same) - 1) < 1e-6);
  assert.ok(dot(dogs, cats) < 0.99);
  assert.deepEqual(server.requests, [{ model: "embed-1", texts: ["dogs bark", "cats purr", "Bark, dogs!"] }]);
});

const vectors = (...embeddings: unknown[]): { text: string } => ({
  text: JSON.stringify({ data: embeddings.map((embedding, index) => ({ index, embedding })) }),
});

test("an answer that is not one vector of numbers per text is refused with a reason", async (context) => {
  const answers: [{ text: string }, RegExp][] = [
    [{ text: "<html>Bad gateway</html>" }, /not JSON/],
    [{ text: "null" }, /has no vectors for 2 texts/],
    [vectors([1]), /has 1 vectors for 2 texts/],
    [vectors([1], [1], [1]), /has 3 vectors for 2 texts/],
    [vectors([1, 2], [1]), /different lengths/],
    [vectors([1], ["1"]), /contains no number/],
    [
      { text: '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1e999]}]}' },
      /contains no number/,
    ],
    [vectors([1], []), /must have 1 to 8192 numbers/],
    [
      vectors(
        [1],
        Array.from({ length: 8_193 }, () => 1),
      ),
      /must have 1 to 8192 numbers/,
    ],
    [vectors([1], [0]), /no direction/],
    [vectors([1], [1e200]), /no direction/],
    [{ text: '{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}' }, /not numbered from 0/],
    [
      { text: '{"data":[{"index":0,"embedding":[1]},{"index":"__proto__","embedding":[1]}]}' },
      /not numbered/,
    ],
    [{ text: " ".repeat(17 * 1024 * 1024) }, /longer than/],
  ];
  const { embed } = await connect(context, { fault: (request) => answers[request]?.[0] });
  for (const [, reason] of answers) {
    await assert.rejects(
      embed(["a", "b"]),
      (error) => error instanceof ProviderError && reason.test(error.message),
    );
  }
});

test("refusals keep their status, and a server that does not answer ends with the deadline", async (context) => {
  const { embed } = await connect(context, {
    fault: (request) => (request === 0 ? { status: 429, retryAfterS: 7 } : "stall"),
  });
  await assert.rejects(embed(["a"]), { status: 429, retryAfterMs: 7_000 });
  await assert.rejects(embed(["a"], 50), { name: "TimeoutError" });
  const wrong = await connect(context, {}, "other");
  await assert.rejects(wrong.embed(["a"]), { status: 401, message: /Incorrect API key/ });
});
