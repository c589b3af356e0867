/** Hostile pages and visitors: bodies, origins, places, floods. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import type { WidgetMessage } from "@parley/contract";
import { read } from "../messages/testing.ts";
import { PAGE, signUser, startWidget, TestPage } from "./testing.ts";

const reply = () => ({ text: "Answer." });

test("bodies of any shape and size are refused or taken, and never break the server", async (t) => {
  const platform = await startWidget(t, { reply });
  const page = new TestPage(platform, PAGE);
  await page.start();
  const id = randomUUID();
  const deep = JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`) as object;
  const refused: readonly object[] = [
    {},
    [],
    { id, text: "" },
    { id, text: " \n " },
    { id, text: "x".repeat(4_001) },
    { id: "1", text: "x" },
    { id: `${id}' or 1=1`, text: "x" },
    { id, text: { toString: "x" } },
    { id, text: "x", visitorId: randomUUID() },
    { id, text: "x", variables: { call_id: "1" } },
    { id, text: "\u0000" },
    { id, text: "\uD800" },
    { id, text: deep },
  ];
  for (const body of refused)
    assert.equal(
      (await page.request("POST", "/chat/messages", body)).status,
      400,
      JSON.stringify(body).slice(0, 80),
    );
  const large = await page.request("POST", "/chat/messages", { id, text: "x".repeat(1_100_000) });
  assert.equal(large.status, 413);
  const hostile = ["<img src=x onerror=alert(1)>", "\u202Egnp.exe\u2066", "{{call_id}} {{constructor}}"];
  for (const text of hostile) read(await page.send(text), 201);
  await platform.writeDue();
  const shown = (await page.chat()).messages.filter(({ role }) => role === "user").map(({ text }) => text);
  assert.deepEqual(shown, hostile);
});

test("origins that only look like an allowed one are refused", async (t) => {
  const platform = await startWidget(t, { reply }, { widgetConfig: { allowedDomains: ["shop.example"] } });
  const statusOf = async (origin: string): Promise<number> =>
    (await new TestPage(platform, origin).request("POST", "/sessions", {})).status;
  for (const origin of [
    "https://shop.example@evil.example",
    "https://shop.example.",
    "https://notshop.example",
    "https://shop.example%2eevil.example",
    "https://sh\u00f6p.example",
    "javascript://shop.example",
    "data:shop.example",
    "shop.example",
    "",
  ])
    assert.equal(await statusOf(origin), 403, origin);
  assert.equal(await statusOf("HTTPS://SHOP.EXAMPLE"), 201);
});

test("the place of another visitor's chat shows nothing of it, and no place skips what is one's own", async (t) => {
  const platform = await startWidget(t, { reply });
  const [ada, bob] = [new TestPage(platform, PAGE), new TestPage(platform, PAGE)];
  await Promise.all([ada.start(), bob.start()]);
  const sent = read<{ conversationId: string }>(await ada.send("Rumpelstiltskin"), 201);
  read(await bob.send("Hello"), 201);
  await platform.writeDue();
  for (const place of [
    `${sent.conversationId}.0`,
    `${sent.conversationId}.999999999`,
    "0.0",
    "x".repeat(10_000),
  ]) {
    const reader = await bob.stream(place);
    await reader.find(({ type }) => type === "activity");
    await reader.close();
    const texts = reader.events.flatMap((event) => (event.type === "message" ? event.message.text : []));
    assert.deepEqual(texts, ["Hello", "Answer."], place.slice(0, 60));
  }
});

test("an id of another visitor's message has its own effect, and reveals nothing", async (t) => {
  const platform = await startWidget(t, { reply });
  const [ada, bob] = [new TestPage(platform, PAGE), new TestPage(platform, PAGE)];
  await Promise.all([ada.start(), bob.start()]);
  const id = randomUUID();
  read(await ada.send("Rumpelstiltskin", id), 201);
  const { message } = read<{ message: WidgetMessage }>(await bob.send("Hello", id), 201);
  assert.equal(message.text, "Hello");
});

test("a flood of forged user tokens is limited like one of sessions", async (t) => {
  const platform = await startWidget(t, { reply });
  read(await platform.server.request("POST", `/agents/${platform.agentId}/widget-secret`, {}));
  const forged = signUser("wrong", { sub: "ada", exp: Math.floor(Date.now() / 1000) + 600 });
  const statuses: number[] = [];
  for (let time = 0; time < 25; time++) {
    const page = new TestPage(platform, PAGE);
    page.address = "192.0.2.7";
    statuses.push((await page.request("POST", "/sessions", { userToken: forged })).status);
  }
  assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
});
