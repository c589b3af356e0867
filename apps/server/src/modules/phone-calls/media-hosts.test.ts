import assert from "node:assert/strict";
import { test } from "node:test";
import { createMediaHostResolver } from "./media-hosts.ts";

const offer = (...lines: string[]): string => ["v=0", "o=- 1 1 IN IP4 a.example", ...lines, ""].join("\r\n");

function resolver(known: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = [];
  const addresses = async (name: string) => {
    asked.push(name);
    const records = known[name];
    if (records === undefined) throw new Error("SERVFAIL");
    return { records, ttlSeconds: 60 };
  };
  return { asked, resolve: createMediaHostResolver({ addresses }, "192.0.2.1") };
}

test("host names in connection and RTCP lines are replaced by addresses of our IP version", async () => {
  const { resolve } = resolver({ "media.example": ["2001:db8::1", "203.0.113.5"] });
  const written = offer(
    "c=IN IP4 media.example",
    "m=audio 4000 RTP/AVP 0",
    "a=rtcp:4001 IN IP4 media.example",
  );
  assert.equal(
    await resolve(written),
    offer("c=IN IP4 203.0.113.5", "m=audio 4000 RTP/AVP 0", "a=rtcp:4001 IN IP4 203.0.113.5"),
  );
});

test("addresses, unknown names and malformed names are left unchanged, and only names are looked up", async () => {
  const { asked, resolve } = resolver({ "only6.example": ["2001:db8::1"] });
  for (const line of [
    "c=IN IP4 192.0.2.9",
    "c=IN IP6 ::1",
    "c=IN IP4 0.0.0.0",
    "c=IN IP4 224.2.1.1/127",
    "c=IN IP4 a_b",
  ]) {
    assert.equal(await resolve(offer(line)), offer(line));
  }
  assert.deepEqual(asked, []);
  for (const line of ["c=IN IP4 unknown.example", "c=IN IP4 only6.example"]) {
    assert.equal(await resolve(offer(line)), offer(line));
  }
  assert.deepEqual(asked, ["unknown.example", "only6.example"]);
});

test("a description with many names causes few queries", async () => {
  const { asked, resolve } = resolver({});
  await resolve(offer(...Array.from({ length: 1000 }, (_, index) => `c=IN IP4 host${index}.example`)));
  assert.equal(asked.length, 3);
});

test("a slow name delays the descriptions after it, and does not overtake them", async () => {
  const slow = Promise.withResolvers<{ records: string[]; ttlSeconds: number }>();
  const resolve = createMediaHostResolver({ addresses: async () => await slow.promise }, "192.0.2.1");
  const results: string[] = [];
  const first = resolve(offer("c=IN IP4 slow.example")).then((sdp) => results.push(sdp));
  const second = resolve(offer("c=IN IP4 192.0.2.9")).then((sdp) => results.push(sdp));
  slow.resolve({ records: ["203.0.113.5"], ttlSeconds: 60 });
  await Promise.all([first, second]);
  assert.deepEqual(results, [offer("c=IN IP4 203.0.113.5"), offer("c=IN IP4 192.0.2.9")]);
});
