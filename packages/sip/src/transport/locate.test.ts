import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { seededRandom } from "@parley/testing";
import { HopHealth } from "./hop-health.ts";
import { Locator, type NextHop, orderSrv } from "./locate.ts";
import type { NaptrRecord, Resolver, SrvRecord } from "./resolver.ts";
import type { Hop, TransportProtocol } from "./transport.ts";

interface Zone {
  naptr?: Record<string, NaptrRecord[]>;
  srv?: Record<string, SrvRecord[]>;
  addresses?: Record<string, string[]>;
  ttlSeconds?: number;
}

interface Bench {
  locator: Locator;
  clock: ManualClock;
  health: HopHealth;
  asked: string[];
  /** Like `TLS 192.0.2.1:5061 example.com`, in order. */
  locate: (target: string | NextHop) => Promise<string[]>;
}

function createBench(zone: Zone, protocols: TransportProtocol[] = ["UDP", "TCP", "TLS"]): Bench {
  const clock = new ManualClock();
  const health = new HopHealth(clock);
  const asked: string[] = [];
  const answer =
    <T>(type: string, records: Record<string, T[]> = {}) =>
    (name: string) => {
      asked.push(`${type} ${name}`);
      return Promise.resolve({ records: records[name] ?? [], ttlSeconds: zone.ttlSeconds ?? 60 });
    };
  const resolver: Resolver = {
    naptr: answer("NAPTR", zone.naptr),
    srv: answer("SRV", zone.srv),
    addresses: answer("A", zone.addresses),
  };
  const locator = new Locator({
    resolver,
    health,
    clock,
    random: seededRandom(3263),
    isReachable: ({ protocol, address }) => protocols.includes(protocol) && !address.startsWith("2001:"),
  });
  const locate = async (target: string | NextHop): Promise<string[]> => {
    const { alternatives = [], ...first } = await locator.locate(target);
    return [first, ...alternatives].map(describe);
  };
  return { locator, clock, health, asked, locate };
}

function describe({ protocol, address, port, domain = "" }: Hop): string {
  return `${protocol} ${address}:${port} ${domain}`.trim();
}

function naptr(order: number, service: string, replacement: string): NaptrRecord {
  return { order, preference: 0, flags: "s", service, replacement };
}

function srv(priority: number, target: string, port = 5060, weight = 1): SrvRecord {
  return { priority, weight, port, target };
}

test("an address or port needs no lookup: UDP, or TLS for sips, unless the URI has a transport", async () => {
  const bench = createBench({ addresses: { "a.example": ["192.0.2.7"] } });
  const expected: Record<string, string> = {
    "sip:192.0.2.1": "UDP 192.0.2.1:5060",
    "sip:[::1]:5070": "UDP ::1:5070",
    "sips:192.0.2.1": "TLS 192.0.2.1:5061 192.0.2.1",
    "sip:192.0.2.1;transport=tcp": "TCP 192.0.2.1:5060",
    "sips:192.0.2.1;transport=tcp": "TLS 192.0.2.1:5061 192.0.2.1",
    "sip:a.example:5080": "UDP 192.0.2.7:5080",
    "sip:a.example:5080;transport=tls": "TLS 192.0.2.7:5080 a.example",
    "sip:gone.example;maddr=192.0.2.9": "UDP 192.0.2.9:5060",
  };
  for (const [uri, hop] of Object.entries(expected)) assert.deepEqual(await bench.locate(uri), [hop], uri);
  assert.deepEqual(bench.asked, ["A a.example"]);
});

test("NAPTR gives the transport, SRV the port, A the address; the certificate must match the requested domain", async () => {
  const bench = createBench({
    naptr: {
      "example.com": [
        naptr(30, "SIP+D2U", "_u.example.com"),
        naptr(10, "SIPS+D2T", "_s.example.com"),
        naptr(20, "SIP+D2S", "_sctp.example.com"),
        { ...naptr(5, "SIP+D2T", "x"), flags: "u" },
      ],
    },
    srv: { "_s.example.com": [srv(1, "a.host", 5071)], "_u.example.com": [srv(1, "b.host.", 5072)] },
    addresses: { "a.host": ["192.0.2.1", "2001:db8::1"], "b.host": ["192.0.2.2"] },
  });
  assert.deepEqual(await bench.locate("sip:example.com"), [
    "TLS 192.0.2.1:5071 example.com",
    "UDP 192.0.2.2:5072",
  ]);
  assert.deepEqual(await bench.locate("sips:example.com"), ["TLS 192.0.2.1:5071 example.com"]);
});

test("without NAPTR records SRV is queried, and without SRV records the name itself", async () => {
  const zone: Zone = {
    srv: { "_sip._tcp.example.com": [srv(1, "a.host", 5070)], "_sips._tcp.example.com": [srv(1, "a.host")] },
    addresses: { "a.host": ["192.0.2.1"], "bare.example": ["192.0.2.2"], "example.com": ["192.0.2.3"] },
  };
  const { locate } = createBench(zone);
  assert.deepEqual(await locate("sip:example.com"), ["TCP 192.0.2.1:5070"]);
  assert.deepEqual(await locate({ address: "example.com", protocol: "TLS" }), [
    "TLS 192.0.2.1:5060 example.com",
  ]);
  assert.deepEqual(await locate({ address: "example.com", protocol: "UDP" }), ["UDP 192.0.2.3:5060"]);
  assert.deepEqual(await locate("sip:bare.example"), ["UDP 192.0.2.2:5060"]);
  assert.deepEqual(await locate("sips:bare.example"), ["TLS 192.0.2.2:5061 bare.example"]);
});

test("an unreachable target or a malformed URI is rejected", async () => {
  const { locate } = createBench({ addresses: { "v6.example": ["2001:db8::1"] } }, ["UDP"]);
  for (const uri of [
    "sip:v6.example",
    "sip:none.example",
    "sips:192.0.2.1",
    "sip:192.0.2.1;transport=sctp",
    "sips:a.example;transport=udp",
    "tel:+15550100",
    "mailto:a@b",
  ])
    await assert.rejects(locate(uri), uri);
});

test("a silent name server times out after 10 s", async () => {
  const never = (): Promise<never> => new Promise(() => undefined);
  const clock = new ManualClock();
  const locator = new Locator({
    resolver: { naptr: never, srv: never, addresses: never },
    health: new HopHealth(clock),
    clock,
    random: Math.random,
    isReachable: () => true,
  });
  const located = assert.rejects(locator.locate("sip:example.com"), /DNS lookup of example\.com timed out/);
  await clock.advance(10_000);
  await located;
  assert.equal(clock.pendingCount, 0);
});

test("an answer is cached for its time to live", async () => {
  const bench = createBench({ addresses: { "a.example": ["192.0.2.1"] }, ttlSeconds: 20 });
  const target = { address: "A.example", port: 5060 };
  await assert.rejects(bench.locate(target), "the zone of this test has only lower-case names");
  const known = { ...target, address: "a.example" };
  await bench.clock.advance(20_001);
  await bench.locate(known);
  await bench.locate(known);
  assert.equal(bench.asked.length, 2);
  await bench.clock.advance(20_001);
  await bench.locate(known);
  assert.equal(bench.asked.length, 3);
});

test("a failed hop is last until its avoidance ends", async () => {
  const bench = createBench({ addresses: { "a.example": ["192.0.2.1", "192.0.2.2"] } });
  const target = "sip:a.example:5060";
  bench.health.avoid({ protocol: "UDP", address: "192.0.2.1", port: 5060 }, 30_000);
  assert.deepEqual(await bench.locate(target), ["UDP 192.0.2.2:5060", "UDP 192.0.2.1:5060"]);
  await bench.clock.advance(30_001);
  assert.deepEqual(await bench.locate(target), ["UDP 192.0.2.1:5060", "UDP 192.0.2.2:5060"]);
});

test("SRV records are ordered by priority, then at random by weight", () => {
  const random = seededRandom(2782);
  const records = [srv(2, "late"), srv(1, "heavy", 5060, 90), srv(1, "light", 5060, 10)];
  const first: Record<string, number> = {};
  for (let round = 0; round < 2000; round++) {
    const ordered = orderSrv(records, random).map(({ target }) => target);
    assert.equal(ordered.length, 3);
    assert.equal(ordered[2], "late");
    first[ordered[0] ?? ""] = (first[ordered[0] ?? ""] ?? 0) + 1;
  }
  assert.ok((first.heavy ?? 0) > 1700 && (first.light ?? 0) > 120, JSON.stringify(first));
});

test("requests of a dialog use the peer's connection if it leads to the next hop", async () => {
  const { locator } = createBench({});
  const peer: Hop = { protocol: "TCP", address: "192.0.2.1", port: 40_000, connectionId: 7 };
  const dialog = (nextHopUri: string) => ({ nextHopUri, hasRoutes: false });
  const same = await locator.locateInDialog(dialog("sip:a@192.0.2.1:5060;transport=tcp"), peer);
  assert.deepEqual([same.connectionId, same.alternatives?.map(describe)], [7, ["TCP 192.0.2.1:5060"]]);
  const other = await locator.locateInDialog(dialog("sip:a@192.0.2.2:5060;transport=tcp"), peer);
  assert.deepEqual([other.connectionId, other.address], [undefined, "192.0.2.2"]);
  const behindNat = await locator.locateInDialog(dialog("sip:a@10.0.0.9:5060;transport=tcp"), peer);
  assert.equal(behindNat.connectionId, 7);
});
