/** What GET gave can be sent back, and creates a copy. */
import assert from "node:assert/strict";
import test from "node:test";
import { type TObject, Type } from "typebox";
import { Check } from "typebox/value";
import type { RouteDefinition } from "./route.ts";
import { routes } from "./routes.ts";

/** A read gives the results of an action, which no request sets. */
const ACTIONS = new Set(["createCall", "sendMessage", "startTestRun"]);
/** Reads whose path is not that of the writes. */
const READS: Readonly<Record<string, string>> = {
  addPhoneNumber: "getPhoneNumber",
  updatePhoneNumber: "getPhoneNumber",
  createApiKey: "listApiKeys",
  updateApiKey: "listApiKeys",
};

function fieldsIn({ response }: RouteDefinition): string[] | undefined {
  const { data } = (response as TObject).properties as { data?: { properties?: object; items?: object } };
  const one: { properties?: object } | undefined = data?.items ?? data;
  return one?.properties && Object.keys(one.properties);
}

/** The operation that reads what this one writes; `undefined` if nothing does. */
function readOf({ method, path, operationId }: RouteDefinition): RouteDefinition | undefined {
  return routes.find((route) => {
    if (route.operationId === READS[operationId]) return true;
    if (route.method !== "GET") return false;
    return method === "POST" ? /^(.*)\/\{[^}]+\}$/.exec(route.path)?.[1] === path : route.path === path;
  });
}

test("every field that a read gives is accepted by the write of the same resource", () => {
  let checked = 0;
  for (const route of routes) {
    if (!["POST", "PATCH", "PUT"].includes(route.method) || ACTIONS.has(route.operationId)) continue;
    // No read gives the file that the creation takes.
    if (route.file !== undefined) continue;
    const read = readOf(route);
    const given = read && fieldsIn(read);
    const accepted = (route.body as TObject | undefined)?.properties;
    if (given === undefined || accepted === undefined) continue;
    // Contacts are sent as a list.
    const contacts: { items?: TObject } | undefined = accepted["contacts"];
    const list = contacts?.items;
    const names = Object.keys(
      route.operationId === "addCampaignContacts" && list ? list.properties : accepted,
    );
    assert.deepEqual(
      given.filter((name) => !names.includes(name)),
      [],
      route.operationId,
    );
    checked += 1;
  }
  assert.ok(checked >= 15, `only ${checked} writes were compared`);
});

test("a write still refuses a field that no read gives", () => {
  for (const { body, operationId } of routes) {
    if (body === undefined) continue;
    const open = Type.Object((body as TObject).properties, { additionalProperties: true });
    assert.ok(Check(Type.Partial(open), { nonsense: 1 }), operationId);
    assert.ok(!Check(body, { nonsense: 1 }), operationId);
  }
});
