import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { buildPages } from "@parley/dashboard";
import { fastify } from "fastify";
import { sendError } from "./errors.ts";
import { registerPages } from "./pages.ts";

function createApp(build = buildPages, addresses?: Parameters<typeof registerPages>[2]) {
  const app = fastify();
  app.setErrorHandler(sendError);
  registerPages(app, build, addresses);
  return app;
}

test("the page and its files are served, the files with unlimited caching", async () => {
  const app = createApp();
  const page = await app.inject({ url: "/try?from=mail" });
  assert.equal(page.statusCode, 200);
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  assert.equal(page.headers["cache-control"], "no-cache");
  const names = [...page.body.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, name = ""]) => name);
  assert.equal(names.length, 2);
  for (const url of names) {
    const plain = await app.inject({ url });
    assert.equal(plain.statusCode, 200);
    assert.match(String(plain.headers["cache-control"]), /immutable/);
    const zipped = await app.inject({ url, headers: { "accept-encoding": "br, gzip" } });
    assert.equal(zipped.headers["content-encoding"], "gzip");
    assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body);
  }
  await app.close();
});

test("the page may connect only to its own server", async () => {
  const app = createApp(buildPages, {
    callUrl: "https://voice.example.com/parley",
    recordingUrl: "https://s3.example.com",
  });
  const { headers, body } = await app.inject({ url: "/try" });
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.match(policy, /connect-src 'self' https:\/\/voice\.example\.com;/);
  assert.match(policy, /media-src 'self' https:\/\/voice\.example\.com https:\/\/s3\.example\.com;/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.doesNotMatch(body, /<script(?![^>]*src=)|style=/);
  await app.close();
});

test("a page that has not changed is not sent again", async () => {
  const app = createApp();
  const { headers } = await app.inject({ url: "/try" });
  const again = await app.inject({ url: "/try", headers: { "if-none-match": String(headers.etag) } });
  assert.equal(again.statusCode, 304);
  assert.equal(again.body, "");
  await app.close();
});

test("no other file is served", async () => {
  const app = createApp();
  for (const url of ["/assets/try.js", "/assets/..%2f..%2fpackage.json", "/assets/"]) {
    assert.equal((await app.inject({ url })).statusCode, 404);
  }
  await app.close();
});

test("pages that cannot be built are a server error, and the server continues", async () => {
  const app = createApp(() => Promise.reject(new Error("does not compile")));
  assert.equal((await app.inject({ url: "/try" })).statusCode, 500);
  await app.close();
});

test("in development a page reloads itself after a restart of the server", async () => {
  const app = createApp(buildPages, { isDevelopment: true });
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
  await app.close();
  await assert.rejects(async () => await reader?.read());
});

test("outside development no page reloads itself", async () => {
  const app = createApp();
  assert.doesNotMatch((await app.inject("/try")).body, /\/dev\//);
  assert.equal((await app.inject("/dev/reload")).statusCode, 404);
  await app.close();
});
