import assert from "node:assert/strict";
import test from "node:test";
import { createTestServer } from "../testing.ts";
import { sipTrunks } from "./sip-trunks.tables.ts";

test("a password is used but never shown, and stored encrypted", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const body = { friendlyName: "Carrier", username: "u", password: "geheim", proxyAddress: "127.0.0.1:5061" };
  const created = await server.request("POST", "/sip-trunks", body);
  assert.equal(created.status, 201);
  assert.ok(!JSON.stringify(created.body).includes("geheim"));
  const [row] = await server.database.select().from(sipTrunks);
  assert.ok(!JSON.stringify(row).includes("geheim"));
  const id = row?.id ?? "";
  assert.deepEqual(await modules.sipTrunks.findCredentials(organizationId, id), {
    username: "u",
    password: "geheim",
  });
  await modules.sipTrunks.update(organizationId, id, { friendlyName: "Renamed" });
  assert.equal((await modules.sipTrunks.findCredentials(organizationId, id))?.password, "geheim");
  const cleared = await modules.sipTrunks.update(organizationId, id, { password: null });
  assert.equal(cleared.hasPassword, false);
  assert.equal(await modules.sipTrunks.findCredentials(organizationId, id), undefined);
  await server.close();
});

test("settings that cannot work are rejected with their path", async () => {
  const server = await createTestServer();
  const bad: Record<string, object> = {
    proxyAddress: { proxyAddress: "no-such-host.invalid" },
    "allowedAddresses.1": { allowedAddresses: ["10.0.0.1", "10.0.0.0/64"] },
    isInboundAuthenticated: { isInboundAuthenticated: true, username: "u" },
    password: { password: "p" },
  };
  for (const [path, fields] of Object.entries(bad)) {
    const { status, body } = await server.request("POST", "/sip-trunks", {
      friendlyName: "Carrier",
      ...fields,
    });
    assert.equal(status, 400);
    const refusal: { details: { issues: { path: string }[] } } = JSON.parse(JSON.stringify(body));
    assert.deepEqual(
      refusal.details.issues.map((issue) => issue.path),
      [path],
    );
  }
  await server.close();
});

test("authentication of callers requires credentials", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const credentials = { username: "u", password: "p", isInboundAuthenticated: true };
  const { id } = await modules.sipTrunks.create(organizationId, { friendlyName: "Carrier", ...credentials });
  await assert.rejects(modules.sipTrunks.update(organizationId, id, { password: null }), {
    code: "invalid_body",
  });
  await server.close();
});

test("a user name stays while its password is stored, and both are removed together", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const { sipTrunks: trunks } = modules;
  const { id } = await trunks.create(organizationId, {
    friendlyName: "Carrier",
    username: "u",
    password: "p",
  });
  await assert.rejects(trunks.update(organizationId, id, { username: null }), {
    code: "invalid_body",
    issues: [
      {
        path: "username",
        message: "must stay while a password is stored: set password to null as well",
      },
    ],
  });
  const cleared = await trunks.update(organizationId, id, { username: null, password: null });
  assert.deepEqual([cleared.username, cleared.hasPassword], [null, false]);
  // A password that an earlier release stored without its user name does not block other changes.
  await server.database.update(sipTrunks).set({ encryptedPassword: "v2.00000000.x" });
  const renamed = await trunks.update(organizationId, id, { friendlyName: "Renamed" });
  assert.equal(renamed.friendlyName, "Renamed");
  await server.close();
});

test("a trunk accepts calls from its addresses and its proxy's, or from all if it names none", async () => {
  const server = await createTestServer();
  const { organizationId, modules } = server;
  const cases = [
    { fields: {}, accepts: ["127.0.0.1", "192.0.2.1"] },
    { fields: { proxyAddress: "127.0.0.1:5061" }, accepts: ["127.0.0.1"] },
    { fields: { proxyAddress: "localhost" }, accepts: ["127.0.0.1"] },
    { fields: { allowedAddresses: ["192.0.2.0/24"] }, accepts: ["192.0.2.1"] },
    {
      fields: { proxyAddress: "127.0.0.1", allowedAddresses: ["192.0.2.1"] },
      accepts: ["127.0.0.1", "192.0.2.1"],
    },
  ];
  for (const { fields, accepts } of cases) {
    const { id } = await modules.sipTrunks.create(organizationId, { friendlyName: "Carrier", ...fields });
    const trunk = (await modules.sipTrunks.findInbound([id])).get(id);
    assert.ok(trunk !== undefined);
    for (const address of ["127.0.0.1", "192.0.2.1"]) {
      const isAccepted = await modules.sipTrunks.mayCallFrom(trunk, address);
      assert.equal(isAccepted, accepts.includes(address), `${JSON.stringify(fields)} ${address}`);
    }
  }
  await server.close();
});
