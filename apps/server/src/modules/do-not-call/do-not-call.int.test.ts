import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { DoNotCallEntry } from "@parley/contract";
import { createTestServer, type TestResponse, type TestServer } from "../testing.ts";

async function open(context: TestContext): Promise<TestServer> {
  const server = await createTestServer();
  context.after(async () => await server.close());
  return server;
}

function dataOf<T>({ status, body }: TestResponse): T {
  assert.ok(status < 300, JSON.stringify(body));
  const { data }: { data: T } = JSON.parse(JSON.stringify(body));
  return data;
}

const list = async (server: TestServer, query = ""): Promise<string[]> => {
  const entries: DoNotCallEntry[] = dataOf(await server.request("GET", `/do-not-call?sort=asc${query}`));
  return entries.map(({ phoneNumber }) => phoneNumber);
};

test("an agent adds the number of its call, once and in E.164", async (context) => {
  const server = await open(context);
  const { doNotCall } = server.modules;
  for (const number of ["+1 415 555 0199", "+14155550199"])
    await doNotCall.addForAgent(server.organizationId, number);
  const entries: DoNotCallEntry[] = dataOf(await server.request("GET", "/do-not-call"));
  assert.deepEqual(
    entries.map(({ phoneNumber, source }) => [phoneNumber, source]),
    [["+14155550199", "agent"]],
  );
  await assert.rejects(doNotCall.addForAgent(server.organizationId, "101"), /not a phone number/);
});

test("a number is stored once in E.164, found as people write it, and removed", async (context) => {
  const server = await open(context);
  const add = async (phoneNumber: string): Promise<DoNotCallEntry> =>
    dataOf(await server.request("POST", "/do-not-call", { phoneNumber }));
  const first = await add("+1 (415) 555-0199");
  assert.partialDeepStrictEqual(first, { phoneNumber: "+14155550199", source: "api" });
  assert.deepEqual(await add("+14155550199"), first);
  await add("+4930123456");
  assert.deepEqual(await list(server), ["+14155550199", "+4930123456"]);
  assert.deepEqual(await list(server, `&phoneNumber=${encodeURIComponent("+1 415 555 0199")}`), [
    "+14155550199",
  ]);
  const { status } = await server.request("POST", "/do-not-call", { phoneNumber: "+1" });
  assert.equal(status, 400);
  await server.request("DELETE", `/do-not-call/${first.id}`);
  assert.deepEqual(await list(server), ["+4930123456"]);
});

test("a CSV file is imported whole or not at all, and bad lines are named", async (context) => {
  const server = await open(context);
  const send = async (csv: string) => await server.request("POST", "/do-not-call-imports", { csv });
  const file =
    '\uFEFFname;phoneNumber\r\n"Ada ""A""; B";+1 415 555 0199\r\nGrace;"+1 (415) 555-0198"\r\n\r\n';
  assert.deepEqual(dataOf(await send(file)), { numbersAdded: 2, duplicatesSkipped: 0 });
  assert.deepEqual(dataOf(await send("+14155550198\n+14155550197")), {
    numbersAdded: 1,
    duplicatesSkipped: 1,
  });
  const refused = await send("phoneNumber\n+14155550196\n4155550195\n+1\n");
  const { details } = JSON.parse(JSON.stringify(refused.body));
  assert.deepEqual(
    details.issues.map(({ path }: { path: string }) => path),
    ["csv.3", "csv.4"],
  );
  assert.equal((await send('"+14155550196')).status, 400);
  assert.equal((await list(server)).length, 3);
});

test("the exported file can be imported again", async (context) => {
  const server = await open(context);
  await server.request("POST", "/do-not-call-imports", { csv: "+14155550199\n+14155550198" });
  const { body, headers } = await server.request("GET", "/do-not-call.csv");
  assert.equal(headers["content-type"], "text/csv; charset=utf-8");
  assert.match(String(body), /^phoneNumber,source,createdAt\r\n\+14155550198,import,/);
  const { apiKey } = await server.createOrganization();
  const again = await server.request("POST", "/do-not-call-imports", { csv: body }, apiKey);
  assert.deepEqual(dataOf(again), { numbersAdded: 2, duplicatesSkipped: 0 });
});

test("the export is read in parts, in the order of the entries, and each number is in it once", async (context) => {
  const server = await open(context);
  const numbers = Array.from({ length: 2_500 }, (_, index) => `+1415555${1_000 + index}`);
  for (const part of [numbers.slice(0, 1_700), numbers.slice(1_700)])
    await server.request("POST", "/do-not-call-imports", { csv: part.join("\n") });
  const query = context.mock.method(server.database.$client, "query");
  const { body } = await server.request("GET", "/do-not-call.csv");
  const [, ...lines] = String(body).trimEnd().split("\r\n");
  assert.deepEqual(
    lines.map((line) => line.split(",")[0]),
    numbers,
  );
  const parts = query.mock.calls.filter(({ arguments: [asked] }) =>
    JSON.stringify(asked).includes('from \\"do_not_call\\"'),
  );
  assert.equal(parts.length, 3);
});

test("the list is bounded, and a file that exceeds the bound adds nothing", async (context) => {
  const server = await open(context);
  const { modules, database, organizationId } = server;
  await modules.organizationLimits.override(database, organizationId, { doNotCallNumbers: 2 });
  const send = async (csv: string) => await server.request("POST", "/do-not-call-imports", { csv });
  assert.equal((await send("+14155550199")).status, 200);
  const refused = await send("+14155550198\n+14155550197");
  assert.equal(refused.status, 409);
  assert.partialDeepStrictEqual(refused.body, { error: "limit_reached" });
  assert.deepEqual(await list(server), ["+14155550199"]);
  assert.equal((await send("+14155550198")).status, 200);
  // Numbers that are on the list already need no room.
  assert.equal((await send("+14155550198\n+14155550199")).status, 200);
  assert.equal((await server.request("POST", "/do-not-call", { phoneNumber: "+14155550196" })).status, 409);
});

test("settings have defaults, change by field, and null resets", async (context) => {
  const server = await open(context);
  const patch = async (change: object): Promise<object> =>
    dataOf(await server.request("PATCH", "/do-not-call-settings", change));
  const defaults = { maxDialsPerDay: null };
  assert.deepEqual(dataOf(await server.request("GET", "/do-not-call-settings")), defaults);
  assert.deepEqual(await patch({ maxDialsPerDay: 3 }), { maxDialsPerDay: 3 });
  assert.deepEqual(await patch({}), { maxDialsPerDay: 3 });
  assert.deepEqual(await patch({ maxDialsPerDay: null }), defaults);
});
