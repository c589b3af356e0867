import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import type { SipTrunkCheck } from "@parley/contract";
import { UserAgent } from "@parley/sip";
import { eq } from "drizzle-orm";
import { TestAuthority } from "../../../../../packages/sip/src/testing/certificates.ts";
import { systemClock } from "../../platform/clock.ts";
import { createTestServer, type TestServer } from "../testing.ts";
import { sipTrunks } from "./sip-trunks.tables.ts";
import type { SipEndpoint } from "./trunk-check.ts";
import { TrunkChecksService } from "./trunk-checks.service.ts";
import { type RegistrarBehavior, TestRegistrar } from "./testing.ts";

describe("the check of a trunk", () => {
  let server: TestServer;
  let registrar: TestRegistrar;

  before(async () => {
    server = await createTestServer({ isPrivateTrunkCheckAllowed: true });
    registrar = await TestRegistrar.listen({});
  });
  after(async () => {
    registrar.close();
    await server.close();
  });

  async function create(fields: object): Promise<string> {
    const { status, body } = await server.request("POST", "/sip-trunks", {
      friendlyName: "Carrier",
      ...fields,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return (body as { data: { id: string } }).data.id;
  }

  async function check(fields: object): Promise<SipTrunkCheck> {
    const { status, body } = await server.request("POST", `/sip-trunks/${await create(fields)}/check`);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { data: SipTrunkCheck }).data;
  }

  async function checkRegistering(behavior: RegistrarBehavior, password = "right"): Promise<SipTrunkCheck> {
    registrar.behavior = { accounts: { line7: "right" }, ...behavior };
    const account = { username: "line7", password, isRegistrationRequired: true };
    return await check({ proxyAddress: registrar.address, transport: "udp", ...account });
  }

  const problems = ({ steps }: SipTrunkCheck) =>
    steps.flatMap(({ step, problem }) => (problem === null ? [] : [[step, problem]]));

  test("succeeds if the server answers and accepts the password, and changes no binding", async () => {
    const report = await checkRegistering({});
    assert.equal(report.isOk, true, report.message);
    assert.deepEqual(
      report.steps.map(({ step, result }) => `${step} ${result}`),
      ["dns ok", "connection skipped", "tls skipped", "options ok", "registration ok"],
    );
    assert.deepEqual(registrar.accepted, [{ contact: null, expires: null }]);
  });

  test("distinguishes a wrong password from a rejected, unknown or temporarily unserved account", async () => {
    const wrong = await checkRegistering({}, "wrong");
    assert.deepEqual(problems(wrong), [["registration", "credentials_refused"]]);
    assert.match(wrong.message, /401 Answer after authentication: the user name or the password is wrong/);
    assert.equal(wrong.isOk, false);
    const cases = { 403: "forbidden", 404: "not_found", 503: "unavailable", 420: "refused" };
    for (const [status, problem] of Object.entries(cases)) {
      const report = await checkRegistering({ registerStatus: Number(status) });
      assert.deepEqual(problems(report), [["registration", problem]], status);
    }
  });

  test("any answer to OPTIONS proves a live server, unless it says that calls are not accepted", async () => {
    registrar.behavior = { optionsStatus: 403 };
    assert.equal((await check({ proxyAddress: registrar.address })).isOk, true);
    registrar.behavior = { optionsStatus: 503 };
    assert.deepEqual(problems(await check({ proxyAddress: registrar.address })), [
      ["options", "unavailable"],
    ]);
  });

  test("a silent server is reported within ten seconds", async () => {
    const report = await checkRegistering({ isSilent: true });
    assert.deepEqual(problems(report), [
      ["options", "no_answer"],
      ["registration", "no_answer"],
    ]);
    assert.ok(report.durationMs < 10_500, String(report.durationMs));
  });

  test("a closed port, and a trunk without a server", async () => {
    const nobody = createServer().listen(0, "127.0.0.1");
    await once(nobody, "listening");
    const { port } = nobody.address() as { port: number };
    nobody.close();
    const refused = await check({ proxyAddress: `127.0.0.1:${port}`, transport: "tcp" });
    assert.deepEqual(problems(refused), [["connection", "connection_refused"]]);
    assert.deepEqual(problems(await check({})), [["dns", "not_configured"]]);
    const noFamily = await check({ proxyAddress: "[2001:db8::1]:5060" });
    assert.deepEqual(problems(noFamily), [["connection", "transport_not_available"]]);
  });

  test("an address in the operator's network is not contacted unless the operator allows it", async (context) => {
    const closed = await createTestServer();
    context.after(async () => await closed.close());
    const inside = createServer(() => assert.fail("contacted")).listen(0, "127.0.0.1");
    await once(inside, "listening");
    context.after(() => inside.close());
    const { port } = inside.address() as { port: number };
    for (const proxyAddress of [`127.0.0.1:${port}`, `[::ffff:127.0.0.1]:${port}`, `localhost:${port}`]) {
      const fields = { friendlyName: "Inside", proxyAddress, transport: "tcp" };
      const created = await closed.request("POST", "/sip-trunks", fields);
      const { id } = (created.body as { data: { id: string } }).data;
      const { body } = await closed.request("POST", `/sip-trunks/${id}/check`);
      const report = (body as { data: SipTrunkCheck }).data;
      assert.deepEqual(problems(report), [["dns", "address_not_allowed"]], proxyAddress);
      assert.match(report.message, /PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS/);
    }
  });

  test("a name without an address is reported", async () => {
    const id = await create({ proxyAddress: "127.0.0.1" });
    const gone = { proxyAddress: "gone.invalid" };
    await server.database.update(sipTrunks).set(gone).where(eq(sipTrunks.id, id));
    const { body } = await server.request("POST", `/sip-trunks/${id}/check`);
    assert.deepEqual(problems((body as { data: SipTrunkCheck }).data), [["dns", "name_not_found"]]);
  });

  test("the checks of one organization leave room for those of others", async (context) => {
    const silent = createSocket("udp4").bind(0, "127.0.0.1");
    await once(silent, "listening");
    context.after(() => silent.close());
    const proxyAddress = `127.0.0.1:${silent.address().port}`;
    const hostile = await server.createOrganization();
    const startCheck = async (apiKey: string) => {
      const fields = { friendlyName: "Silent", proxyAddress, transport: "udp" };
      const { body } = await server.request("POST", "/sip-trunks", fields, apiKey);
      const { id } = (body as { data: { id: string } }).data;
      return await server.request("POST", `/sip-trunks/${id}/check`, undefined, apiKey);
    };
    const flood = Array.from({ length: 17 }, async () => await startCheck(hostile.apiKey));
    assert.equal((await Promise.race(flood)).status, 429);
    assert.equal((await startCheck(server.apiKey)).status, 200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 4);
  });

  test("another organization's trunk is not found", async () => {
    const id = await create({});
    const { apiKey } = await server.createOrganization();
    assert.equal((await server.request("POST", `/sip-trunks/${id}/check`, undefined, apiKey)).status, 404);
  });

  test("over TLS it reports whether the certificate is trusted and matches", async () => {
    const [authority, stranger] = [await TestAuthority.create(), await TestAuthority.create()];
    const ours = await authority.issue({ alternativeNames: ["IP:127.0.0.1"] });
    const peers: UserAgent[] = [];
    const listen = async (
      issuer: TestAuthority,
      alternativeName: string,
      rules: { isClientCertificateRequired?: boolean } = {},
    ): Promise<UserAgent> => {
      const tls = { ...(await issuer.issue({ alternativeNames: [alternativeName] })), port: 0 };
      const bind = { address: "127.0.0.1", port: 0 };
      const peer = await UserAgent.listen({
        bind,
        tls: { ...tls, ...rules, authorities: authority.certificate },
        onInvite: (invite) => invite.reject(486),
      });
      peers.push(peer);
      return peer;
    };
    const agent = await listen(authority, "IP:127.0.0.1");
    const { modules, organizationId, sip } = server;
    const certified = { agent, tls: { ...ours, authorities: authority.certificate } };
    const checkFrom = async (endpoint: SipEndpoint, fields: object): Promise<SipTrunkCheck> =>
      await new TrunkChecksService(modules.sipTrunks, endpoint, {
        clock: systemClock,
        isPrivateAllowed: true,
      }).check(organizationId, await create(fields));
    const checkTls = async (
      endpoint: SipEndpoint,
      ...peerOptions: Parameters<typeof listen>
    ): Promise<SipTrunkCheck> => {
      const peer = await listen(...peerOptions);
      const port = peer.listeners.find(({ protocol }) => protocol === "TLS")?.port;
      return await checkFrom(endpoint, { proxyAddress: `127.0.0.1:${port}`, transport: "tls" });
    };
    const right = await checkTls(certified, authority, "IP:127.0.0.1");
    assert.equal(right.isOk, true, right.message);
    const wrongName = await checkTls(certified, authority, "DNS:other.example");
    assert.deepEqual(problems(wrongName), [["tls", "certificate_wrong_name"]]);
    assert.match(wrongName.message, /is for DNS:other\.example, not for 127\.0\.0\.1/);
    assert.deepEqual(problems(await checkTls(certified, stranger, "IP:127.0.0.1")), [
      ["tls", "certificate_untrusted"],
    ]);
    const plain = agent.listeners.find(({ protocol }) => protocol === "TCP")?.port;
    const noTls = await checkFrom(certified, { proxyAddress: `127.0.0.1:${plain}`, transport: "tls" });
    assert.deepEqual(problems(noTls), [["tls", noTls.steps[2]?.problem]]);
    assert.match(String(noTls.steps[2]?.problem), /tls_failed|no_answer/);
    const anonymous = { agent: sip, tls: { authorities: authority.certificate } };
    const rules = { isClientCertificateRequired: true };
    const strict = await checkTls(anonymous, authority, "IP:127.0.0.1", rules);
    assert.deepEqual(problems(strict)[0], ["tls", "tls_failed"]);
    assert.match(strict.message, /it may require a client certificate: set PARLEY_SIP_TLS_CERT/);
    await Promise.all(peers.map((peer) => peer.close()));
    await Promise.all([authority.remove(), stranger.remove()]);
  });
});
