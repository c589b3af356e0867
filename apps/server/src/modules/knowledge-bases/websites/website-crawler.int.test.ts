/** Reading websites: what is read, what is left, and what hostile ones cost. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { OutboundClient } from "../../../platform/outbound-http/outbound-client.ts";
import { DocumentReader } from "../extraction/document-reader.ts";
import { answer, serveWebsite, type TestPage } from "./testing.ts";
import { type Crawl, WebsiteCrawler } from "./website-crawler.ts";

const link = (...paths: string[]): string => paths.map((path) => `<a href="${path}">x</a>`).join("");

interface Setting {
  maxPages?: number;
  isPrivateAllowed?: boolean;
  secondsPerPage?: number;
}

/** Reads a website without pauses; a clock advances with each. */
async function crawl(
  context: TestContext,
  pages: Record<string, TestPage>,
  { maxPages = 20, isPrivateAllowed = true, secondsPerPage = 1 }: Setting = {},
) {
  const site = await serveWebsite(context, new Map(Object.entries(pages)));
  const outbound = new OutboundClient({ isPrivateAllowed });
  const reader = new DocumentReader();
  context.after(async () => {
    reader.close();
    await outbound.close();
  });
  const pauses: number[] = [];
  let now = 0;
  const crawler = new WebsiteCrawler({
    outbound,
    reader,
    pause: async (ms) => pauses.push(ms),
    nowMs: () => (now += secondsPerPage * 1_000),
  });
  const found = await crawler.crawl({
    url: `${site.url}/`,
    maxPages,
    signal: new AbortController().signal,
    onPage: async () => {},
  });
  const pathOf = (url: string): string => url.replace(site.url, "");
  return {
    ...site,
    pauses,
    found,
    paths: found.pages.map(({ url }) => pathOf(url)),
    problems: found.problems.map(({ url, reason }) => [pathOf(url), reason]),
  };
}

const textOf = ({ pages }: Crawl): string[] =>
  pages.flatMap(({ passages }) => passages.map(({ text }) => text));

test("pages of one origin are read, the nearest first, each once, with their addresses", async (context) => {
  const { paths, problems, found, pauses } = await crawl(context, {
    "/": `<h1>Home</h1><p>Welcome.</p>${link("/b", "/a#part", "a", "mailto:x@y.z", "https://elsewhere.example/", "javascript:1", "/b?")}`,
    "/a": `<p>Page A.</p>${link("/", "/deep/c")}`,
    "/b": `<nav>${link("/in-navigation")}</nav><p>Page B.</p>`,
    "/b?": `<p>Page B again.</p>`,
    "/in-navigation": "<p>Page N.</p>",
    "/deep/c": `<base href="/other/"><p>Page C.</p>${link("d")}`,
    "/other/d": answer(200, { "content-type": "text/plain" }, "Page D."),
  });
  assert.deepEqual(paths, ["/", "/b", "/a", "/b?", "/in-navigation", "/deep/c", "/other/d"]);
  assert.deepEqual(problems, []);
  assert.equal(found.pages[0]?.passages[0]?.url, found.pages[0]?.url);
  assert.deepEqual(pauses, Array(6).fill(250));
});

test("robots.txt, rel=nofollow and meta robots are obeyed, and a wish for slowness is granted up to a limit", async (context) => {
  const { paths, problems, requested, pauses } = await crawl(context, {
    "/robots.txt": answer(200, {}, "User-agent: *\nDisallow: /private\nCrawl-delay: 600\n"),
    "/": `<p>Home.</p>${link("/private/x", "/closed", "/to-private")}<a rel="ugc nofollow" href="/unwanted">x</a>`,
    "/closed": `<meta name="robots" content="index, nofollow"><p>Closed.</p>${link("/behind")}`,
    "/to-private": answer(302, { location: "/private/x" }),
    "/private/x": "<p>Secret.</p>",
    "/unwanted": "<p>Unwanted.</p>",
    "/behind": "<p>Behind.</p>",
  });
  assert.deepEqual(paths, ["/", "/closed"]);
  assert.deepEqual(problems, [
    ["/private/x", "The site's robots.txt does not allow it to be read."],
    ["/to-private", "It redirects to another site, or to a page that robots.txt does not allow."],
  ]);
  assert.ok(!requested.includes("/private/x"));
  assert.deepEqual(new Set(pauses), new Set([5_000]));
});

test("a site whose robots.txt fails is not read, and one without is", async (context) => {
  const failing = await crawl(context, { "/robots.txt": answer(503), "/": "<p>Home.</p>" });
  assert.deepEqual(failing.paths, []);
  assert.match(String(failing.problems[0]?.[1]), /answered 503 for .*robots\.txt/);
  const without = await crawl(context, { "/robots.txt": answer(404), "/": "<p>Home.</p>" });
  assert.deepEqual(without.paths, ["/"]);
});

test("redirects end, within the site", async (context) => {
  const other = await serveWebsite(context, new Map([["/", "<p>Other.</p>"]]));
  const { url, paths, problems, found } = await crawl(context, {
    "/": `<p>Home.</p>${link("/old", "/loop", "/out", "/file", "/gone", "/down")}`,
    "/old": answer(301, { location: "/new" }),
    "/new": "<p>New.</p>",
    "/loop": answer(302, { location: "/loop" }),
    "/out": answer(302, { location: other.url }),
    "/file": answer(302, { location: "file:///etc/passwd" }),
    "/down": answer(500),
  });
  assert.deepEqual(paths, ["/", "/new"]);
  assert.deepEqual(problems, [
    ["/loop", "It redirects more than 5 times."],
    ["/out", "It redirects to another site, or to a page that robots.txt does not allow."],
    ["/file", "It redirects to something that is no web address."],
    ["/gone", "The server answered 404."],
    ["/down", "The server answered 500."],
  ]);
  assert.deepEqual(other.requested, []);
  assert.deepEqual(
    ["/", "/new", "/gone", "/down", "/behind-down"].map((path) => found.mayRemain(url + path)),
    [false, false, false, true, true],
  );
});

test("private addresses are not read unless the operator allows it, not even by a redirect", async (context) => {
  const { paths, problems, requested } = await crawl(
    context,
    { "/": "<p>Intranet.</p>" },
    { isPrivateAllowed: false },
  );
  assert.deepEqual([paths, requested], [[], []]);
  assert.match(String(problems[0]?.[1]), /is not a public address/);
});

test("a first page may redirect to the site's own name", async (context) => {
  const site = await serveWebsite(context, new Map([["/", "<p>Real.</p>"]]));
  const { found } = await crawl(context, { "/": answer(301, { location: `${site.url}/` }) });
  assert.deepEqual(textOf(found), ["Real."]);
});

test("an endless site ends at the number of pages, at the depth, and at the time of one reading", async (context) => {
  const pages = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [
      `/${at === 0 ? "" : at}`,
      `<p>Page ${at}.</p>${link(`/${at + 1}`)}`,
    ]),
  );
  assert.deepEqual((await crawl(context, pages, { maxPages: 3 })).paths, ["/", "/1", "/2"]);
  assert.deepEqual((await crawl(context, pages)).paths, ["/", "/1", "/2", "/3", "/4", "/5"]);
  const slow = await crawl(context, pages, { secondsPerPage: 50 });
  assert.deepEqual(slow.paths, ["/", "/1"]);
  assert.deepEqual(slow.problems, [["/2", "The time for one reading of the website was over."]]);
  assert.deepEqual(
    [slow.found.mayRemain(`${slow.url}/1`), slow.found.mayRemain(`${slow.url}/9`)],
    [false, true],
  );
});

test("pages of a server that compresses unasked are read, and bombs, damage and unknown compression are problems", async (context) => {
  const compressed = (encoding: string, body: Buffer): TestPage =>
    answer(200, { "content-type": "text/html", "content-encoding": encoding }, body);
  const bomb = Buffer.alloc(200 * 1024 * 1024, " ");
  const { found, problems } = await crawl(context, {
    "/": `<p>Home.</p><nav>${link("/gzip", "/br", "/deflate", "/bomb", "/br-bomb", "/damaged", "/constructor")}</nav>`,
    "/gzip": compressed("gzip", gzipSync("<p>Zipped.</p>")),
    "/br": compressed("BR", brotliCompressSync("<p>Brotli.</p>")),
    "/deflate": compressed("deflate", deflateSync("<p>Deflated.</p>")),
    "/bomb": compressed("gzip", gzipSync(bomb)),
    "/br-bomb": compressed(
      "br",
      brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    ),
    "/damaged": compressed("gzip", Buffer.from("<p>Not zipped.</p>")),
    "/constructor": compressed("constructor", Buffer.from("<p>?</p>")),
  });
  const reason = "It is compressed, which was not asked for, and cannot be read within 5120 KiB.";
  assert.deepEqual(textOf(found), ["Home.", "Zipped.", "Brotli.", "Deflated."]);
  assert.deepEqual(
    problems,
    ["/bomb", "/br-bomb", "/damaged", "/constructor"].map((path) => [path, reason]),
  );
});

test("pages in other encodings are read, unreadable types are left, and a large page is a problem", async (context) => {
  const { found, problems } = await crawl(context, {
    "/": `<p>Home.</p><nav>${link("/latin", "/meta", "/none", "/picture", "/odd", "/large", "/empty")}</nav>`,
    "/latin": answer(
      200,
      { "content-type": "text/html; charset=ISO-8859-1" },
      Buffer.from("<p>Caf\xe9.</p>", "latin1"),
    ),
    "/meta": answer(
      200,
      { "content-type": "text/html" },
      Buffer.from([
        ...Buffer.from('<meta charset="shift_jis"><p>'),
        0x83,
        0x65,
        0x83,
        0x58,
        0x83,
        0x67,
        ...Buffer.from("</p>"),
      ]),
    ),
    "/none": answer(200, { "content-type": "text/html" }, Buffer.from("<p>na\xefve</p>", "latin1")),
    "/picture": answer(200, { "content-type": "image/png" }, "PNG"),
    "/odd": answer(200, { "content-type": "text/html; charset=klingon" }, "<p>x</p>"),
    "/large": answer(200, { "content-type": "text/html" }, "x".repeat(5 * 1024 * 1024 + 1)),
    "/empty": "",
  });
  assert.deepEqual(textOf(found), ["Home.", "Café.", "テスト", "naïve"]);
  assert.deepEqual(problems, [
    ["/odd", "Its encoding is unknown."],
    ["/large", "It is larger than 5 MiB."],
    ["/empty", "The page contains no text."],
  ]);
});
