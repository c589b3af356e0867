/** For tests: properties that every object storage must have, and an S3 server that verifies clients' signatures. */
import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { ObjectStorage } from "./object-storage.ts";

const KEY = "recordings/0b2c/call-1.opus";
const LATER_MS = 60_000;

export interface OpenStorage {
  storage: ObjectStorage;
  close: () => Promise<void>;
}

/** Tests a storage through its interface and its links. */
export function describeObjectStorage(
  name: string,
  open: () => Promise<OpenStorage>,
  { skip = false }: { skip?: string | false } = {},
): void {
  describe(`an object storage: ${name}`, { skip }, () => {
    let opened: OpenStorage;
    let folder: string;
    const signal = AbortSignal.timeout(60_000);
    const content = randomBytes(300_000);
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "parley-objects-"));
      opened = await open();
      await put(KEY, content);
    });
    after(async () => {
      await opened.close();
      await rm(folder, { recursive: true });
    });

    async function put(key: string, bytes: Uint8Array): Promise<void> {
      const file = path.join(folder, "file");
      await writeFile(file, bytes);
      await opened.storage.putFile(key, file, signal);
    }

    const linkTo = async (key: string): Promise<string> =>
      await opened.storage.linkTo(key, new Date(Date.now() + LATER_MS));

    test("gives out what it was given, as the kind of thing that it is", async () => {
      const response = await fetch(await linkTo(KEY));
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type") ?? "", /^audio\/ogg; ?codecs="?opus"?$/);
      assert.equal(response.headers.get("content-length"), String(content.length));
      assert.ok(content.equals(Buffer.from(await response.arrayBuffer())));
    });

    test("reads what it was given, and rejects if it was given nothing", async () => {
      assert.ok(content.equals(await opened.storage.read(KEY, signal)));
      await assert.rejects(opened.storage.read("voices/0b2c/none.wav", signal));
    });

    test("serves ranges, for players that start in the middle", async () => {
      const link = await linkTo(KEY);
      for (const [range, start, end] of [
        ["bytes=0-0", 0, 1],
        ["bytes=1000-1999", 1000, 2000],
        ["bytes=299990-", 299_990, 300_000],
        ["bytes=299990-999999", 299_990, 300_000],
        ["bytes=-10", 299_990, 300_000],
      ] as const) {
        const response = await fetch(link, { headers: { range } });
        assert.equal(response.status, 206, range);
        assert.equal(response.headers.get("content-range"), `bytes ${start}-${end - 1}/300000`);
        assert.ok(content.subarray(start, end).equals(Buffer.from(await response.arrayBuffer())), range);
      }
      const beyond = await fetch(link, { headers: { range: "bytes=300000-" } });
      assert.equal(beyond.status, 416);
      await beyond.body?.cancel();
    });

    test("has one content under a key: the last", async () => {
      await put("again.opus", Buffer.from("one"));
      await put("again.opus", Buffer.from("two"));
      assert.equal(await (await fetch(await linkTo("again.opus"))).text(), "two");
    });

    test("has nothing under a key whose content was deleted, and deletes it twice alike", async () => {
      await put("gone.opus", Buffer.from("words"));
      for (let attempt = 0; attempt < 2; attempt++) {
        await opened.storage.delete("gone.opus", signal);
        const response = await fetch(await linkTo("gone.opus"));
        assert.equal(response.status, 404);
        await response.body?.cancel();
      }
      await assert.rejects(opened.storage.delete("../outside", signal), /no key/);
    });

    test("takes an empty file", async () => {
      await put("empty.opus", Buffer.alloc(0));
      const response = await fetch(await linkTo("empty.opus"));
      assert.deepEqual([response.status, await response.text()], [200, ""]);
    });

    test("refuses a link that has expired, was changed, or is for something else", async () => {
      await put("other.opus", Buffer.from("other"));
      const link = await linkTo(KEY);
      const expired = await opened.storage.linkTo(KEY, new Date(Date.now() - LATER_MS));
      const query = new URL(link).searchParams;
      const [lifetime] = [...query].find(([name]) => /expires/i.test(name)) ?? [""];
      const [signature] = [...query].find(([name]) => /signature$/i.test(name)) ?? [""];
      const changed = (name: string, value: string): string => {
        const url = new URL(link);
        url.searchParams.set(name, value);
        return String(url);
      };
      const value = query.get(signature) ?? "";
      for (const refused of [
        expired,
        link.replace(KEY, "other.opus"),
        changed(lifetime, String(Number(query.get(lifetime)) + 1)),
        changed(signature, `${value.startsWith("a") ? "b" : "a"}${value.slice(1)}`),
        changed(signature, ""),
        link.split("?")[0] ?? "",
      ]) {
        const response = await fetch(refused);
        assert.ok([400, 403, 404].includes(response.status), `${response.status} for ${refused}`);
        await response.body?.cancel();
      }
    });

    test("has nothing under a key that it was not given", async () => {
      const response = await fetch(await linkTo("nothing.opus"));
      assert.equal(response.status, 404);
      await response.body?.cancel();
    });

    test("rejects keys that leave the folder", async () => {
      for (const key of ["../outside", "a/../../b", "/etc/passwd", "a//b", "", ".hidden", "a b"]) {
        await assert.rejects(put(key, Buffer.from("x")), /no key/, key);
      }
    });
  });
}

export interface S3Settings {
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Server with one bucket that verifies Signature Version 4 as documented: it rejects every request with a wrong
 * signature, payload hash or time.
 */
export async function startS3Server(
  settings: S3Settings,
): Promise<{ endpoint: string; close: () => Promise<void> }> {
  const objects = new Map<string, { body: Buffer; type: string }>();
  const server = createServer((request, response) => {
    void answer(request, response, settings, objects);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  settings: S3Settings,
  objects: Map<string, { body: Buffer; type: string }>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const url = new URL(request.url ?? "/", "http://server");
  const reply = (status: number, text: string): void => void response.writeHead(status).end(text);
  const problem = findSignatureProblem(request, url, body, settings);
  if (problem !== undefined) return reply(403, `<Code>${problem}</Code>`);
  if (!url.pathname.startsWith(`/${settings.bucket}/`)) return reply(404, "<Code>NoSuchBucket</Code>");
  if (request.method === "PUT") {
    objects.set(url.pathname, { body, type: request.headers["content-type"] ?? "" });
    return reply(200, "");
  }
  if (request.method === "DELETE") {
    objects.delete(url.pathname);
    return reply(204, "");
  }
  const object = objects.get(url.pathname);
  if (object === undefined) return reply(404, "<Code>NoSuchKey</Code>");
  const size = object.body.length;
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = first === "" ? (last === "" ? 0 : size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (request.headers.range !== undefined && start >= size) return reply(416, "<Code>InvalidRange</Code>");
  const part = object.body.subarray(start, end);
  const isPart = request.headers.range !== undefined;
  response.writeHead(isPart ? 206 : 200, {
    "content-type": object.type,
    "content-length": part.length,
    ...(isPart && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
  });
  response.end(part);
}

const hexSha256 = (data: Uint8Array | string): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: Uint8Array | string, data: string): Buffer =>
  createHmac("sha256", key).update(data).digest();

/** Verifies the Authorization header or the query (AWS, "Authenticating Requests: Signature Version 4"). */
function findSignatureProblem(
  request: IncomingMessage,
  url: URL,
  body: Buffer,
  { region, accessKeyId, secretAccessKey }: S3Settings,
): string | undefined {
  const isInQuery = url.searchParams.has("X-Amz-Signature");
  const header = request.headers.authorization ?? "";
  const field = (name: string): string =>
    isInQuery
      ? (url.searchParams.get(`X-Amz-${name}`) ?? "")
      : (new RegExp(`${name}=([^, ]+)`).exec(header)?.[1] ?? "");
  const time = isInQuery ? field("Date") : String(request.headers["x-amz-date"]);
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  if (field("Credential") !== `${accessKeyId}/${scope}`) return "InvalidAccessKeyId";
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const lifetimeMs = isInQuery ? Number(field("Expires")) * 1000 : 900_000;
  if (!(Date.now() < at + lifetimeMs)) return "AccessDenied";
  const payload = isInQuery ? "UNSIGNED-PAYLOAD" : String(request.headers["x-amz-content-sha256"]);
  if (!isInQuery && payload !== hexSha256(body)) return "XAmzContentSHA256Mismatch";
  const names = field("SignedHeaders").split(";");
  if (!names.includes("host")) return "AccessDenied";
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort();
  const canonical = [
    request.method,
    url.pathname,
    query.join("&"),
    ...names.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
  const keys = [time.slice(0, 8), region, "s3", "aws4_request"];
  const key = keys.reduce<Buffer | string>(
    (previous, part) => hmac(previous, part),
    `AWS4${secretAccessKey}`,
  );
  const expected = hmac(key, ["AWS4-HMAC-SHA256", time, scope, hexSha256(canonical)].join("\n")).toString(
    "hex",
  );
  return field("Signature") === expected ? undefined : "SignatureDoesNotMatch";
}
