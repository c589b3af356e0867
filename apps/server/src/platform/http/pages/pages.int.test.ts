import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { fastify } from "fastify";
import { sendError, sendNotFound } from "../errors.ts";
import { registerPages } from "./pages.ts";

const SCRIPT = "console.log('a page');";
let folder: string;

/** A build as Vite makes it. */
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-pages-"));
  await mkdir(path.join(folder, "assets"));
  await writeFile(path.join(folder, "assets", "index-1a2b.js"), SCRIPT);
  await writeFile(path.join(folder, "assets", "index-1a2b.js.gz"), gzipSync(SCRIPT));
  await mkdir(path.join(folder, "widget", "assets"), { recursive: true });
  await writeFile(path.join(folder, "widget", "widget.js"), SCRIPT);
  await writeFile(path.join(folder, "widget", "preview.html"), "<!doctype html>");
  await writeFile(path.join(folder, "widget", "assets", "index-1a2b.js"), SCRIPT);
  await writeFile(
    path.join(folder, "index.html"),
    '<head><meta property="csp-nonce" nonce="{{nonce}}" /><script src="/assets/index-1a2b.js"></script></head>',
  );
});

after(async () => await rm(folder, { recursive: true }));

function createApp(options?: Partial<Parameters<typeof registerPages>[1]>) {
  const app = fastify();
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendNotFound);
  registerPages(app, { sections: ["/agents", "/try"], findFolder: async () => folder, ...options });
  return app;
}

test("the page is served at each of its paths, and its files with unlimited caching and compressed", async () => {
  const app = createApp();
  for (const url of ["/", "/try?from=mail", "/agents", "/agents/1/versions"]) {
    const page = await app.inject({ url });
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.equal(page.headers["cache-control"], "no-store");
  }
  const url = "/assets/index-1a2b.js";
  const plain = await app.inject({ url });
  assert.equal(plain.body, SCRIPT);
  assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.match(String(plain.headers["content-type"]), /^text\/javascript/);
  const zipped = await app.inject({ url, headers: { "accept-encoding": "gzip" } });
  assert.equal(zipped.headers["content-encoding"], "gzip");
  assert.deepEqual(zipped.rawPayload, gzipSync(SCRIPT));
  const again = await app.inject({ url, headers: { "if-none-match": String(plain.headers.etag) } });
  assert.equal(again.statusCode, 304);
  await app.close();
});

test("the page may connect only to its own server, and only its own style elements apply", async () => {
  const app = createApp({
    callUrl: "https://voice.example.com/parley",
    recordingUrl: "https://s3.example.com",
  });
  const { headers, body } = await app.inject({ url: "/try" });
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.match(policy, /connect-src 'self' https:\/\/voice\.example\.com;/);
  assert.match(policy, /media-src 'self' https:\/\/voice\.example\.com https:\/\/s3\.example\.com;/);
  assert.doesNotMatch(policy, /unsafe/);
  const [, nonce = ""] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
  assert.ok(body.includes(`nonce="${nonce}"`));
  const other = await app.inject({ url: "/try" });
  assert.ok(!String(other.headers["content-security-policy"]).includes(nonce), "each page has its own nonce");
  await app.close();
});

test("no other file is served", async () => {
  const app = createApp();
  for (const url of [
    "/assets/try.js",
    "/assets/..%2findex.html",
    "/assets/..%2f..%2fpackage.json",
    "/assets/",
    "/elsewhere",
  ]) {
    assert.equal((await app.inject({ url })).statusCode, 404, url);
  }
  await app.close();
});

test("pages that cannot be built are a server error, and the next request tries again", async () => {
  let isBroken = true;
  const findFolder = async () => {
    if (isBroken) throw new Error("does not compile");
    return folder;
  };
  const app = createApp({ findFolder });
  assert.equal((await app.inject({ url: "/try" })).statusCode, 500);
  isBroken = false;
  assert.equal((await app.inject({ url: "/try" })).statusCode, 200);
  await app.close();
});

test("in development a page reloads itself after a restart of the server, and after a change of its sources", async () => {
  const app = createApp({ sourceFolder: folder });
  const page = await app.inject("/try");
  const [, script = ""] = /<script src="(\/dev\/[^"]+)"/.exec(page.body) ?? [];
  const { body, headers } = await app.inject(script);
  assert.match(String(headers["content-type"]), /javascript/);
  const [, stream = ""] = /EventSource\("([^"]+)"\)/.exec(body) ?? [];
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const answer = await fetch(`${origin}${stream}`);
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  const reader = answer.body?.getReader();
  assert.ok((await reader?.read())?.done === false, "the stream stays open");
  await writeFile(path.join(folder, "page.tsx"), "");
  const { value } = (await reader?.read()) ?? {};
  assert.match(Buffer.from(value ?? []).toString(), /changed/);
  await app.close();
  await assert.rejects(async () => await reader?.read());
});

test("outside development no page reloads itself", async () => {
  const app = createApp();
  assert.doesNotMatch((await app.inject("/try")).body, /\/dev\//);
  assert.equal((await app.inject("/dev/reload")).statusCode, 404);
  await app.close();
});

test("the widget is served to pages of all origins: its entry is revalidated, its files have unlimited caching", async () => {
  const app = createApp();
  const entry = await app.inject({ url: "/widget.js", headers: { origin: "https://shop.example" } });
  assert.equal(entry.body, SCRIPT);
  assert.equal(entry.headers["cache-control"], "public, max-age=0");
  assert.match(String(entry.headers["content-type"]), /^text\/javascript/);
  const again = await app.inject({
    url: "/widget.js",
    headers: { "if-none-match": String(entry.headers.etag) },
  });
  assert.equal(again.statusCode, 304);
  const asset = await app.inject({ url: "/widget-assets/index-1a2b.js" });
  assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
  for (const { headers } of [entry, asset]) {
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
  }
  const preview = await app.inject({ url: "/widget-preview" });
  assert.match(String(preview.headers["content-type"]), /^text\/html/);
  assert.match(
    String(preview.headers["content-security-policy"]),
    /script-src 'self'.*frame-ancestors 'self'/,
  );
  for (const url of ["/widget-assets/..%2fwidget.js", "/widget-assets/", "/widget.css"])
    assert.equal((await app.inject({ url })).statusCode, 404, url);
  await app.close();
});
