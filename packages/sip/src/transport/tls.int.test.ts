import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { once } from "node:events";
import { type Certified, TestAuthority } from "../testing/certificates.ts";
import { failingResolver } from "../testing/failing-resolver.ts";
import { UserAgent } from "../user-agent/user-agent.ts";
import type { OptionsResult, UserAgentOptions } from "../user-agent/user-agent-options.ts";
import type { TlsOptions } from "./tls-identity.ts";

describe("SIP over TLS", () => {
  let authority: TestAuthority;
  let stranger: TestAuthority;
  /** Certificates of the domain that the tests call. */
  let server: Certified;
  let client: Certified;

  before(async () => {
    [authority, stranger] = await Promise.all([TestAuthority.create(), TestAuthority.create()]);
    server = await authority.issue({ alternativeNames: ["DNS:pbx.example"] });
    client = await authority.issue({ alternativeNames: ["DNS:client.example"] });
  });
  after(async () => void (await Promise.all([authority.remove(), stranger.remove()])));

  function listen(
    tls: Omit<TlsOptions, "authorities"> & { authorities?: string },
    options: Partial<UserAgentOptions> = {},
  ): Promise<UserAgent> {
    return UserAgent.listen({
      bind: { address: "127.0.0.1", port: 0 },
      tls: { port: 0, authorities: authority.certificate, ...tls },
      resolver: {
        ...failingResolver,
        addresses: () => Promise.resolve({ records: ["127.0.0.1"], ttlSeconds: 60 }),
      },
      onInvite: (invite) => invite.reject(486),
      ...options,
    });
  }

  /** Sends OPTIONS to a server with this certificate, by its domain. */
  async function ask(
    tls: Certified & Partial<TlsOptions>,
    { domain = "pbx.example", caller = {} }: { domain?: string; caller?: Partial<TlsOptions> } = {},
  ): Promise<{ result: OptionsResult; dropped: string[] }> {
    const dropped: string[] = [];
    const callee = await listen(tls);
    const onDropped = (reason: string): void => void dropped.push(reason);
    const from = await listen({ ...client, ...caller }, { onDropped });
    const result = await from.options({
      to: `sip:${domain}:${portOf(callee)};transport=tls`,
      from: "sip:client.example",
    });
    await Promise.all([from.close(), callee.close()]);
    return { result, dropped };
  }

  test("a server with a certificate of its domain is accepted, by URI or DNS name", async () => {
    assert.ok((await ask(server)).result.ok);
    const names = ["URI:sip:pbx.example", "DNS:other.example"];
    assert.ok((await ask(await authority.issue({ alternativeNames: names }))).result.ok);
    assert.ok((await ask(await authority.issue({ commonName: "pbx.example" }))).result.ok);
    const address = await authority.issue({ alternativeNames: ["IP:127.0.0.1"] });
    assert.ok((await ask(address, { domain: "127.0.0.1" })).result.ok);
  });

  test("a certificate of another name is rejected, and the reason is reported", async () => {
    const certificates = [
      { alternativeNames: ["DNS:other.example"] },
      { alternativeNames: ["DNS:other.example"], commonName: "pbx.example" },
      { alternativeNames: ["URI:sip:other.example"], commonName: "pbx.example" },
      { alternativeNames: ["URI:sip:somebody@pbx.example"] },
    ];
    for (const options of certificates) {
      const { result, dropped } = await ask(await authority.issue(options));
      assert.deepEqual(result, { ok: false, cause: "transport_error" });
      assert.match(dropped.join(), /not for pbx\.example/, JSON.stringify(options));
    }
  });

  test("wildcards match only if allowed", async () => {
    const wildcard = await authority.issue({ alternativeNames: ["DNS:*.carrier.example"] });
    const domain = "pbx.carrier.example";
    assert.equal((await ask(wildcard, { domain })).result.ok, false);
    const caller = { allowsWildcards: true };
    assert.ok((await ask(wildcard, { domain, caller })).result.ok);
    const deeper = await ask(wildcard, { domain: `a.${domain}`, caller });
    assert.equal(deeper.result.ok, false);
  });

  test("expired certificates and those of unknown authorities are rejected", async () => {
    const expired = await authority.issue({ alternativeNames: ["DNS:pbx.example"], isExpired: true });
    assert.match((await ask(expired)).dropped.join(), /expired/);
    const unknown = await stranger.issue({ alternativeNames: ["DNS:pbx.example"] });
    const { result, dropped } = await ask(unknown);
    assert.equal(result.ok, false);
    assert.match(dropped.join(), /unable to (get|verify)|self-signed/);
  });

  test("a peer without a required certificate of a known authority is rejected", async () => {
    const strict = { ...server, isClientCertificateRequired: true };
    assert.ok((await ask(strict)).result.ok);
    const foreign = await stranger.issue({ commonName: "client.example" });
    assert.equal((await ask(strict, { caller: foreign })).result.ok, false);
  });

  test("the requested name is sent to the server", async () => {
    const callee = await listen(server);
    const socket = connectTls({
      port: portOf(callee),
      host: "127.0.0.1",
      servername: "pbx.example",
      ca: authority.certificate,
    });
    await once(socket, "secureConnect");
    assert.ok(socket.authorized);
    socket.destroy();
    await callee.close();
  });

  test("the callee ends a call over the caller's connection, although the caller has no certificate", async () => {
    const ends: string[] = [];
    const callee = await listen(server, {
      onInvite: (invite) =>
        void invite.accept({ sdp: "answer" }).then(async (answered) => {
          if (!answered.ok) return;
          await answered.session.bye();
          ends.push((await answered.session.ended).cause);
        }),
    });
    const unknown = await stranger.issue({ commonName: "anyone" });
    const caller = await listen(unknown);
    const call = await caller.invite({
      to: `sip:agent@pbx.example:${portOf(callee)};transport=tls`,
      from: "sip:me@client.example",
      sdp: "offer",
    });
    assert.ok(call.ok);
    assert.equal((await call.session.ended).cause, "remote_bye");
    await Promise.all([caller.close(), callee.close()]);
    assert.deepEqual(ends, ["local_bye"]);
  });

  for (const scheme of ["sips", "sip"] as const) {
    test(`both sides of a call to a ${scheme} URI have a ${scheme} Contact (RFC 3261 §8.1.1.8, §12.1.1)`, async () => {
      const contacts: string[] = [];
      const callee = await listen(server, {
        onInvite: (invite) => void invite.accept({ sdp: "answer" }),
        onMessage: ({ data }) => {
          const text = data.toString();
          if (/^CSeq: 1 INVITE/m.test(text)) contacts.push(/^Contact: <(\w+:)/m.exec(text)?.[1] ?? "");
        },
      });
      const caller = await listen(client);
      const suffix = scheme === "sip" ? ";transport=tls" : "";
      const call = await caller.invite({
        to: `${scheme}:agent@pbx.example:${portOf(callee)}${suffix}`,
        from: "sip:me@client.example",
        sdp: "offer",
      });
      assert.ok(call.ok);
      // The BYE is sent to the callee's Contact.
      await call.session.bye();
      assert.equal((await call.session.ended).cause, "local_bye");
      await Promise.all([caller.close(), callee.close()]);
      assert.deepEqual(
        contacts.filter((each) => each !== ""),
        [`${scheme}:`, `${scheme}:`],
      );
    });
  }
});

function portOf({ listeners }: UserAgent): number {
  const listener = listeners.find(({ protocol }) => protocol === "TLS");
  assert.ok(listener !== undefined);
  return listener.port;
}
