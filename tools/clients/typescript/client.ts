/** Places a call with the types that openapi-typescript generates, and verifies signed requests of tools. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import type { paths } from "./parley-api.js";

const { PARLEY_URL = "", PARLEY_API_KEY = "", PARLEY_TRUNK_ID = "", PARLEY_SIGNED = "" } = process.env;
const client = createClient<paths>({ baseUrl: PARLEY_URL, headers: { "x-api-key": PARLEY_API_KEY } });

function dataOf<T>({ data, error }: { data?: { data: T }; error?: unknown }): T {
  if (data === undefined) throw new Error(`the server refused: ${JSON.stringify(error)}`);
  return data.data;
}

const body = { name: "TypeScript", sipTrunkId: PARLEY_TRUNK_ID };
const agent = dataOf(await client.POST("/agents", { body }));
const path = { id: agent.id };
dataOf(await client.POST("/agents/{id}/phone-numbers", { params: { path }, body: { e164: "+4930123452" } }));
const call = dataOf(await client.POST("/calls", { body: { agentId: agent.id, toNumber: "+4930123457" } }));
const query = { agentId: agent.id, status: [call.status, "failed", "ringing"] } as const;
const calls = dataOf(
  await client.GET("/calls", { params: { query: { ...query, status: [...query.status] } } }),
);
assert.deepEqual(
  calls.map(({ id }) => id),
  [call.id],
);

interface SignedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

const signed: { secret: string; requests: SignedRequest[] } = JSON.parse(
  await readFile(PARLEY_SIGNED, "utf8"),
);
for (const { method, url, headers, body: sent } of signed.requests) {
  const encoded = headers["x-parley-signed-content"];
  const content = encoded === undefined ? sent : Buffer.from(encoded, "base64url").toString();
  if (encoded !== undefined) {
    const [target, query = ""] = url.split("?");
    assert.deepEqual(JSON.parse(content), { method, path: target, query });
  }
  for (const Library of [SvixWebhook, StandardWebhook]) {
    new Library(signed.secret).verify(content, headers);
    assert.throws(() => new Library(signed.secret).verify(content.replace("7", "8"), headers));
  }
}
