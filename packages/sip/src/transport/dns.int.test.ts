import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import dns from "node:dns";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type Answer, decode, encode } from "dns-packet";
import { UserAgent } from "../user-agent/user-agent.ts";
import { SystemResolver } from "./resolver.ts";

const NXDOMAIN = 3;
const SERVFAIL = 2;

/** A name server with these records; it fails for names below `broken.`. */
async function createNameServer(records: readonly Answer[]): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.on("message", (data, { address, port }) => {
    const query = decode(data);
    const [question] = query.questions ?? [];
    const ofName = records.filter(({ name }) => name === question?.name.toLowerCase());
    const answers = ofName.filter(({ type }) => type === question?.type);
    const isBroken = question?.name.endsWith("broken.example") === true;
    const flags = isBroken ? SERVFAIL : ofName.length === 0 ? NXDOMAIN : 0;
    const reply = { type: "response", id: query.id ?? 0, flags, questions: query.questions ?? [], answers };
    socket.send(encode({ ...reply, type: "response" }), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

function a(name: string, data: string, ttl: number): Answer {
  return { type: "A", name, data, ttl };
}

function srv(name: string, target: string, port: number, priority: number): Answer {
  return { type: "SRV", name, ttl: 30, data: { target, port, priority, weight: 1 } };
}

const folder = mkdtempSync(path.join(tmpdir(), "names-"));
const files = { hosts: path.join(folder, "hosts"), resolver: path.join(folder, "resolv.conf") };
writeFileSync(
  files.hosts,
  "# ours\n192.0.2.7 pbx registrar # the PBX\n2001:db8::7\tregistrar\n192.0.2.8 both.example.org\n",
);
writeFileSync(files.resolver, "nameserver 192.0.2.53\nsearch carrier.example example.\noptions ndots:1\n");
after(() => rmSync(folder, { recursive: true }));

describe("a real name server", () => {
  let alive: UserAgent;
  let caller: UserAgent;
  let nameServer: Socket;
  let resolver: SystemResolver;

  before(async () => {
    const bind = { address: "127.0.0.1", port: 0 };
    alive = await UserAgent.listen({ bind, onInvite: (invite) => invite.reject(486) });
    // A port without listener: TCP is refused at once.
    const gone = await UserAgent.listen({ bind, onInvite: (invite) => invite.reject(486) });
    await gone.close();
    nameServer = await createNameServer([
      {
        type: "NAPTR",
        name: "carrier.example",
        ttl: 30,
        data: {
          order: 10,
          preference: 1,
          flags: "s",
          services: "SIP+D2T",
          regexp: "",
          replacement: "_sip._tcp.carrier.example",
        },
      },
      srv("_sip._tcp.carrier.example", "first.carrier.example", gone.address.port, 1),
      srv("_sip._tcp.carrier.example", "second.carrier.example", alive.address.port, 2),
      a("first.carrier.example", "127.0.0.1", 7),
      a("second.carrier.example", "127.0.0.1", 9),
      a("both.example", "192.0.2.1", 7),
      { type: "AAAA", name: "both.example", data: "2001:db8::1", ttl: 5 },
    ]);
    resolver = new SystemResolver({ nameServers: [`127.0.0.1:${nameServer.address().port}`], files });
    caller = await UserAgent.listen({ bind, resolver, onInvite: (invite) => invite.reject(486) });
  });
  after(async () => {
    await Promise.all([alive.close(), caller.close()]);
    nameServer.close();
  });

  test("a domain is located by NAPTR, SRV and A records, and a server that is down is skipped", async () => {
    const result = await caller.options({ to: "sip:carrier.example", from: "sip:me@127.0.0.1" });
    assert.ok(result.ok);
    assert.equal(result.status, 200);
  });

  test("a call to the domain stays on the server that answered", async () => {
    const ringing = caller.invite({
      to: "sip:agent@carrier.example",
      from: "sip:me@127.0.0.1",
      sdp: "offer",
    });
    const result = await ringing;
    assert.ok(!result.ok);
    assert.equal(result.status, 486);
  });

  test("addresses have a time to live, and IPv4 addresses are first", async () => {
    assert.deepEqual(await resolver.addresses("both.example"), {
      records: ["192.0.2.1", "2001:db8::1"],
      ttlSeconds: 5,
    });
  });

  test("a missing record is not an error, but a failing name server is", async () => {
    assert.deepEqual((await resolver.srv("_sip._udp.nothing.example")).records, []);
    assert.deepEqual((await resolver.naptr("both.example")).records, []);
    await assert.rejects(resolver.srv("_sip._udp.broken.example"));
  });

  test("the hosts file precedes DNS, and localhost is this machine", async () => {
    assert.deepEqual((await resolver.addresses("Registrar.")).records, ["192.0.2.7", "2001:db8::7"]);
    assert.deepEqual((await resolver.addresses("both.example.org")).records, ["192.0.2.8"]);
    assert.deepEqual((await resolver.addresses("localhost")).records, ["127.0.0.1", "::1"]);
  });

  test("search domains complete short names first and longer names last, but not names with a final dot", async () => {
    assert.deepEqual((await resolver.addresses("second")).records, ["127.0.0.1"]);
    assert.deepEqual((await resolver.addresses("first.carrier")).records, ["127.0.0.1"]);
    assert.deepEqual((await resolver.addresses("second.")).records, []);
  });

  test("a name without an answer fails, and is not looked up by a thread of the process", async (context) => {
    const lookUp = context.mock.method(dns.promises, "lookup");
    const silent = createSocket("udp4").bind(0, "127.0.0.1");
    await once(silent, "listening");
    const deaf = new SystemResolver({ nameServers: [`127.0.0.1:${silent.address().port}`], files });
    await assert.rejects(deaf.addresses("dead.example"), { code: "ETIMEOUT" });
    await assert.rejects(resolver.addresses("a.broken.example"), { code: "ESERVFAIL" });
    silent.close();
    assert.equal(lookUp.mock.callCount(), 0);
  });
});
