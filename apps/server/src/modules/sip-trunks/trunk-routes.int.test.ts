import assert from "node:assert/strict";
import test from "node:test";
import { createTestServer } from "../testing.ts";

test("an outbound call uses the trunk's server, the caller ID at its domain, and its credentials", async () => {
  const server = await createTestServer();
  const { sipTrunks } = server.modules;
  const carrier = { proxyAddress: "127.0.0.1:5070", transport: "tcp", username: "u", password: "p" } as const;
  const { id } = await sipTrunks.create(server.organizationId, { friendlyName: "Carrier", ...carrier });
  const route = await sipTrunks.findRoute(server.organizationId, id, "+15550100000");
  assert.deepEqual(route?.destination, { address: "127.0.0.1", port: 5070, protocol: "TCP" });
  assert.deepEqual(route?.credentials, { username: "u", password: "p" });
  assert.equal(route?.from, "sip:+15550100000@127.0.0.1:5070");
  assert.equal(route?.uriOf("+4930123456"), "sip:+4930123456@127.0.0.1:5070");
  const other = await server.createOrganization();
  assert.equal(await sipTrunks.findRoute(other.organizationId, id, "+15550100000"), undefined);
  await server.close();
});

test("a registration requires a server, a user name and a password", async () => {
  const server = await createTestServer();
  const { sipTrunks } = server.modules;
  const incomplete = { friendlyName: "Carrier", username: "u", password: "p", isRegistrationRequired: true };
  await assert.rejects(sipTrunks.create(server.organizationId, incomplete), { code: "invalid_body" });
  const complete = { ...incomplete, proxyAddress: "127.0.0.1" };
  const { id } = await sipTrunks.create(server.organizationId, complete);
  await assert.rejects(sipTrunks.update(server.organizationId, id, { proxyAddress: null }), {
    code: "invalid_body",
  });
  await server.close();
});
