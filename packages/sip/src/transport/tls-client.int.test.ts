import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { type Certified, TestAuthority } from "../testing/certificates.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { failingResolver } from "../testing/failing-resolver.ts";
import { TlsCarrier } from "../testing/tls-carrier.ts";
import type { RegistrationState } from "../user-agent/registration.ts";
import { UserAgent } from "../user-agent/user-agent.ts";
import type { UserAgentOptions } from "../user-agent/user-agent-options.ts";
import type { TlsOptions } from "./tls-identity.ts";

/** Longer than the minimum life of a connection for immediate recovery, plus the longest pause before that. */
const RECOVERY_MS = 31_000;

describe("SIP over TLS without a certificate of ours", () => {
  let authority: TestAuthority;
  let certified: Certified;

  before(async () => {
    authority = await TestAuthority.create();
    certified = await authority.issue({ alternativeNames: ["DNS:carrier.example"] });
  });
  after(async () => await authority.remove());

  async function createRig(
    context: TestContext,
    { tls = {}, ...options }: Omit<Partial<UserAgentOptions>, "tls"> & { tls?: Partial<TlsOptions> } = {},
  ) {
    const clock = new ManualClock();
    const carriers = [await TlsCarrier.listen({ ...certified, authorities: authority.certificate, ...tls })];
    const [{ port }] = carriers as [TlsCarrier];
    const dropped: string[] = [];
    const agent = await UserAgent.listen({
      bind: { address: "127.0.0.1", port: 0 },
      tls: { authorities: authority.certificate },
      clock,
      resolver: {
        ...failingResolver,
        addresses: () => Promise.resolve({ records: ["127.0.0.1"], ttlSeconds: 60 }),
      },
      onInvite: (invite) => invite.reject(486),
      onDropped: (reason) => void dropped.push(reason),
      ...options,
    });
    context.after(async () => {
      agent.close().catch(() => undefined);
      await clock.advance(10_000);
      await agent.close();
      await Promise.all(carriers.map((each) => each.close()));
    });
    const server = { address: "carrier.example", port, protocol: "TLS" } as const;
    const register = (states: RegistrationState[] = []) =>
      agent.register({
        address: "sip:line7@carrier.example",
        servers: [server],
        onChange: (state) => void states.push(state),
      });
    const restartCarrier = async (): Promise<TlsCarrier> => {
      const carrier = await TlsCarrier.listen({ ...certified, authorities: authority.certificate }, port);
      carriers.push(carrier);
      return carrier;
    };
    return { agent, carrier: carriers[0] as TlsCarrier, clock, dropped, server, register, restartCarrier };
  }

  test("it does not listen, and Contact has the local port of its connection", async (context) => {
    const { agent, carrier, server } = await createRig(context);
    assert.ok(agent.listeners.every(({ protocol }) => protocol !== "TLS"));
    const to = "sip:carrier.example";
    assert.ok((await agent.options({ to, from: "sip:line7@carrier.example", destination: server })).ok);
    const { message, source } = await carrier.awaitRequest("OPTIONS");
    assert.deepEqual([message.topVia.host, message.topVia.port], ["127.0.0.1", source.port]);
    const contact = `<sip:127.0.0.1:${source.port};transport=tls;ob>`;
    assert.equal(message.headers.get("contact"), contact);
  });

  test("a call arrives and ends over the registration's connection", async (context) => {
    const { carrier, register } = await createRig(context, {
      onInvite: (invite) =>
        void invite.accept({ sdp: "offer" }).then((answered) => {
          assert.ok(answered.ok);
          void answered.session.bye();
        }),
    });
    register();
    const { message, source } = await carrier.awaitRequest("REGISTER");
    const [uri = ""] = carrier.bindings;
    assert.equal(uri, `sip:line7@127.0.0.1:${source.port};transport=tls;ob`);
    assert.equal(message.headers.get("contact"), `<${uri}>`);
    carrier.request("INVITE", source, { uri, callId: "inbound" });
    const answer = await carrier.awaitFinal("INVITE");
    assert.equal(answer.message.status, 200);
    assert.equal(answer.message.headers.get("contact"), `<${uri}>`);
    const dialog = ["From", "To"].map((name) => `${name}: ${answer.message.headers.get(name)}`);
    carrier.request("ACK", source, { uri, callId: "inbound", dialog });
    const bye = await carrier.awaitRequest("BYE");
    assert.equal(bye.source.connectionId, source.connectionId);
  });

  test("the callee ends an outbound call over the same connection", async (context) => {
    const { agent, carrier, server } = await createRig(context);
    const call = await agent.invite({
      to: "sip:+15550100@carrier.example",
      from: "sip:line7@carrier.example",
      destination: server,
      sdp: "offer",
    });
    assert.ok(call.ok);
    const { message: ack, source } = await carrier.awaitRequest("ACK");
    const { message: invite } = await carrier.awaitRequest("INVITE");
    const uri = invite.headers.get("contact")?.slice(1, -1) ?? "";
    assert.equal(uri, `sip:line7@127.0.0.1:${source.port};transport=tls;ob`);
    const dialog = [`From: ${ack.headers.get("to")}`, `To: ${ack.headers.get("from")}`];
    carrier.request("BYE", source, { uri, callId: call.session.callId, dialog });
    assert.equal((await call.session.ended).cause, "remote_bye");
  });

  test("a request in a call with a broken connection uses a new one and a new Contact", async (context) => {
    const { agent, carrier, server, restartCarrier } = await createRig(context);
    const call = await agent.invite({
      to: "sip:+15550100@carrier.example",
      from: "sip:line7@carrier.example",
      destination: server,
      sdp: "offer",
    });
    assert.ok(call.ok);
    const ask = { to: "sip:carrier.example", from: "sip:line7@carrier.example", destination: server };
    // The response shows that the previous ACK arrived and must not be repeated.
    await agent.options(ask);
    await carrier.close();
    const restarted = await restartCarrier();
    await agent.options(ask);
    const changed = await call.session.offer("offer");
    assert.ok(changed.ok);
    const { message, source } = await restarted.awaitRequest("INVITE");
    assert.equal(message.headers.get("contact"), `<sip:line7@127.0.0.1:${source.port};transport=tls;ob>`);
  });

  test("a registration whose connection was closed opens another and removes the former Contact", async (context) => {
    const { carrier, clock, register, restartCarrier } = await createRig(context);
    const states: RegistrationState[] = [];
    register(states);
    const { message: first } = await carrier.awaitRequest("REGISTER");
    const former = first.headers.get("contact");
    await carrier.close();
    const restarted = await restartCarrier();
    await clock.advance(RECOVERY_MS);
    const { message, source } = await restarted.awaitRequest("REGISTER");
    const uri = `sip:line7@127.0.0.1:${source.port};transport=tls;ob`;
    assert.equal(message.headers.get("contact"), `<${uri}>, ${former};expires=0`);
    assert.deepEqual([...restarted.bindings], [uri]);
    restarted.request("INVITE", source, { uri, callId: "after" });
    assert.equal((await restarted.awaitFinal("INVITE")).message.status, 486);
    assert.deepEqual(
      states.map(({ status }) => status),
      ["registered", "registering", "registered"],
    );
  });

  test("registration does not loop with a carrier that closes each connection", async (context) => {
    const { carrier, clock, register, restartCarrier } = await createRig(context);
    register();
    await carrier.awaitRequest("REGISTER");
    await carrier.close();
    const restarted = await restartCarrier();
    await clock.advance(25_000);
    assert.equal(restarted.arrived.length, 0);
  });

  test("a certificate of another name and a missing client certificate are reported as errors", async (context) => {
    const other = await authority.issue({ alternativeNames: ["DNS:other.example"] });
    const from = "sip:line7@carrier.example";
    for (const [tls, reason] of [
      [other, /not for carrier\.example/],
      [{ isClientCertificateRequired: true }, /closed by the peer|ECONNRESET|alert|not sent/],
    ] as const) {
      const { agent, server, dropped } = await createRig(context, { tls });
      const reply = await agent.options({ to: "sip:carrier.example", from, destination: server });
      assert.deepEqual(reply, { ok: false, cause: "transport_error" });
      assert.match(dropped.join(), reason);
    }
  });
});
