/** Downloads of GGUF files, from a server on this machine that speaks Hugging Face's API. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fetchModelFile } from "./model-file.ts";

const FILE = Buffer.concat([Buffer.from("GGUF"), randomBytes(60_000_000)]);
const ADDRESS = "hf:tester/Tiny-GGUF:Q4_1";

async function start(context: TestContext) {
  const modelsDir = await mkdtemp(path.join(tmpdir(), "parley-models-"));
  const state = { ranges: new Array<[from: number, last: number]>(), requests: 0 };
  const server = createServer((request, response) => {
    state.requests += 1;
    if (request.url?.startsWith("/v2/tester/Tiny-GGUF/manifests/Q4_1"))
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ggufFile: { rfilename: "tiny-q4_1.gguf", size: FILE.length } }));
    if (!request.url?.startsWith("/tester/Tiny-GGUF/resolve/main/tiny-q4_1.gguf"))
      return void response.writeHead(404).end();
    const [, from = "0", to = ""] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? "") ?? [];
    const last = to === "" ? FILE.length - 1 : Number(to);
    const part = FILE.subarray(Number(from), last + 1);
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      "accept-ranges": "bytes",
      "content-length": part.length,
      "content-range": `bytes ${from}-${last}/${FILE.length}`,
      etag: '"one"',
    });
    if (request.method === "HEAD") return void response.end();
    if (request.headers.range !== undefined) state.ranges.push([Number(from), last]);
    response.end(part);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(modelsDir, { recursive: true, force: true });
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { modelsDir, state, endpoint: `http://127.0.0.1:${port}/` };
}

test("a model is downloaded once, with its progress", async (context) => {
  const { modelsDir, endpoint, state } = await start(context);
  const { signal } = new AbortController();
  let received = 0;
  const options = { address: ADDRESS, modelsDir, signal, endpoint };
  const file = await fetchModelFile({
    ...options,
    onProgress: (progress) => (received = progress.type === "download" ? progress.receivedBytes : received),
  });
  assert.ok(FILE.equals(await readFile(file)));
  assert.equal(received, FILE.length);
  const { requests } = state;
  assert.equal(await fetchModelFile(options), file);
  assert.equal(state.requests, requests);
});

test("a download that was interrupted is resumed", async (context) => {
  const { modelsDir, endpoint, state } = await start(context);
  const controller = new AbortController();
  const first = fetchModelFile({
    address: ADDRESS,
    modelsDir,
    signal: controller.signal,
    endpoint,
    onProgress: (progress) => {
      // More than what can be under way in parts of 5 MB.
      if (progress.type === "download" && progress.receivedBytes > FILE.length / 2)
        controller.abort(new Error("the server ends"));
    },
  });
  await assert.rejects(first, /the server ends/);
  state.ranges = [];
  const { signal } = new AbortController();
  const file = await fetchModelFile({ address: ADDRESS, modelsDir, signal, endpoint });
  assert.ok(FILE.equals(await readFile(file)));
  // Parts that were complete are not requested again.
  let coveredBytes = 0;
  let end = -1;
  for (const [from, last] of state.ranges.sort(([a], [b]) => a - b)) {
    coveredBytes += Math.max(0, last - Math.max(from - 1, end));
    end = Math.max(end, last);
  }
  assert.ok(coveredBytes < FILE.length, `${coveredBytes} of ${FILE.length} bytes`);
});

test("an unknown model and a malformed address are explained", async (context) => {
  const { modelsDir, endpoint } = await start(context);
  const { signal } = new AbortController();
  await assert.rejects(
    fetchModelFile({ address: "hf:tester/None:Q4_1", modelsDir, signal, endpoint }),
    /hf:tester\/None:Q4_1 could not be downloaded/,
  );
  await assert.rejects(fetchModelFile({ address: "hf:none", modelsDir, signal, endpoint }), /write hf:owner/);
});
