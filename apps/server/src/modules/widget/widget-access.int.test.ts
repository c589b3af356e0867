/** Every operation of widgets with every credential that is not its own. New operations are covered by themselves. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  apiKeyRoles,
  memberRoles,
  type RouteDefinition,
  type WidgetCall,
  widgetRoutes,
  type WidgetSession,
} from "@parley/contract";
import { identityOf } from "../identity/testing.ts";
import { setMemberRole } from "../identity/identity.store.ts";
import { read } from "../messages/testing.ts";
import { PAGE, signUser, startWidget, TestPage, type WidgetPlatform } from "./testing.ts";

const reply = () => ({ text: "Answer." });
const methodOf = ({ method }: RouteDefinition) => (method === "GET" ? "GET" : "POST");
const pathOf = ({ path }: RouteDefinition): string => path.replace("/{widgetKey}", "");
/** No operation accepts it: nothing changes. */
const bodyOf = ({ method }: RouteDefinition) => (method === "GET" ? undefined : { unheardOf: 1 });

test("no role of people and keys opens an operation of visitors, and none closes an open one", async (t) => {
  const platform = await startWidget(t, { reply });
  const { server, widgetKey } = platform;
  const { browser, userId } = await identityOf(server).signUp();
  const assertVerdict = (route: RouteDefinition, status: number, what: string): void => {
    const isOpen = route.isPublic === true;
    const expected = isOpen ? (route.method === "GET" ? 200 : 400) : 401;
    assert.equal(status, expected, `${what} ${route.operationId}`);
  };
  for (const role of memberRoles) {
    await setMemberRole(server.database, server.organizationId, userId, role);
    for (const route of widgetRoutes) {
      const url = `/widget/${widgetKey}${pathOf(route)}`;
      const { status } = await browser.send(methodOf(route), url, bodyOf(route), { origin: PAGE });
      assertVerdict(route, status, role);
    }
  }
  for (const role of apiKeyRoles) {
    const { key } = await server.modules.apiKeys.create(server.organizationId, role, null, { role });
    for (const route of widgetRoutes) {
      const page = new TestPage(platform, PAGE);
      for (const headers of [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]) {
        const { status } = await page.request(methodOf(route), pathOf(route), bodyOf(route), headers);
        assertVerdict(route, status, `key ${role}`);
      }
    }
  }
});

/** The widget of another organization on the same server, with a visitor who has written and called. */
async function openForeign(platform: WidgetPlatform) {
  const { server } = platform;
  const { organizationId, actor, apiKey } = await server.createOrganization();
  const { id, widgetKey } = await server.modules.agents.create(
    { organizationId, actor },
    { name: "Bob", widgetConfig: { enabled: true, continuity: { sharedMemory: true } } },
  );
  const page = new TestPage({ ...platform, widgetKey }, PAGE);
  await page.start();
  read(await page.send("Rumpelstiltskin"), 201);
  const { callId } = read<WidgetCall>(await page.request("POST", "/calls", {}), 201);
  const path = `/agents/${id}/widget-secret`;
  const secret = read<{ secret: string }>(await server.request("POST", path, {}, apiKey));
  return { page, callId, secret };
}

test("visitors of another organization's widget reach nothing of this one, and learn nothing", async (t) => {
  const platform = await startWidget(t, { reply }, { widgetConfig: { continuity: { sharedMemory: true } } });
  const foreign = await openForeign(platform);
  const page = new TestPage(platform, PAGE);
  await page.start();
  for (const route of widgetRoutes.filter(({ isPublic }) => isPublic !== true)) {
    for (const [visitor, token] of [
      [page, foreign.page.token],
      [foreign.page, page.token],
    ] as const) {
      const own = visitor.token;
      visitor.token = token;
      const { status } = await visitor.request(methodOf(route), pathOf(route), bodyOf(route));
      assert.equal(status, 401, route.operationId);
      visitor.token = own;
    }
  }
  // A session cannot be begun with what another organization has issued.
  const continued = await page.start({ sessionToken: foreign.page.token });
  assert.equal(continued.isIdentified, false);
  const { messages } = await page.chat();
  assert.deepEqual(messages, []);
  const claims = { sub: "ada", exp: Math.floor(Date.now() / 1000) + 600 };
  const userToken = signUser(foreign.secret.secret, claims);
  assert.equal((await page.request("POST", "/sessions", { userToken })).status, 401);
  read<WidgetSession>(await foreign.page.request("POST", "/sessions", { userToken }), 201);
  const { status, body, headers } = await page.request("POST", "/calls", { resumeCallId: foreign.callId });
  const call = read<WidgetCall>({ status, body, headers }, 201);
  assert.deepEqual([call.isResumed, call.callId === foreign.callId], [false, false]);
});
