import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Agent, AgentCreate } from "@parley/client/api";
import { type ScriptedChatRequest, startScriptedOpenAi } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { readRecording } from "../support/audio/recordings.ts";
import { Platform } from "../support/platform/platform.ts";
import { startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { violationsOf } from "../support/web/accessibility.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ScriptedMicrophone } from "../support/web/scripted-microphone.ts";
import { Shop, WidgetPage } from "../support/web/widget-page.ts";

const QUESTION = "And when does it arrive";
/** Long enough for something to happen in the middle of it. */
const STORY = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
const BETWEEN_WORDS_MS = 25;
const DAY_MS = 24 * 3600_000;

const answer = (question: string): string =>
  question.startsWith("Story") ? STORY : `Answer to: ${question}`;

describe("the widget in trouble", { skip: skipWithoutChromium }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let shop: Shop;
  let restart: () => Promise<void>;
  const requests: ScriptedChatRequest[] = [];
  const close: (() => Promise<void> | void)[] = [];

  before(async () => {
    const reply = (request: ScriptedChatRequest) => {
      requests.push(request);
      return { text: answer(request.lastUserText) };
    };
    const providers = await startScriptedProviders(QUESTION, reply);
    const model = await startScriptedOpenAi({ reply, betweenChunksMs: BETWEEN_WORDS_MS });
    const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-e2e-"));
    const env = { ...providers.env, PARLEY_LLM_BASE_URL: `${model.url}/v1` };
    platform = await Platform.start({ env, dataDirectory });
    restart = async () => {
      const { httpPort } = platform;
      await platform.stop();
      platform = await Platform.start({ env, dataDirectory, httpPort });
    };
    shop = await Shop.start();
    chromium = await Chromium.launch();
    close.push(
      async () => await chromium.close(),
      () => shop.close(),
      async () => await platform.stop(),
      async () => await rm(dataDirectory, { recursive: true, force: true }),
      async () => await model.close(),
      async () => await providers.close(),
    );
  });

  after(async () => {
    for (const each of close) await each();
  });

  /** An agent with a widget. */
  const create = async (
    widgetConfig: NonNullable<AgentCreate["widgetConfig"]> = {},
    fields: Partial<AgentCreate> = {},
  ): Promise<Agent> =>
    await platform.api.createAgent({
      name: "Ada",
      firstMessage: "Hello.",
      ...fields,
      widgetConfig: { enabled: true, ...widgetConfig },
    });

  const tagOf = ({ widgetKey }: Agent, attributes = ""): string =>
    `<script src="${platform.url}/widget.js" data-widget-key="${widgetKey}" ${attributes} async></script>`;

  /** A page with the tag of an agent, opened by a new visitor, with the panel open. */
  async function visit(agent: Agent, attributes?: string, launcher = "Chat with Ada"): Promise<WidgetPage> {
    const visitor = await WidgetPage.open(chromium, shop.add(tagOf(agent, attributes)));
    await visitor.press(launcher);
    return visitor;
  }

  /** A page with a module. */
  async function openModule(script: string): Promise<WidgetPage> {
    return await WidgetPage.open(chromium, shop.add(`<script type="module">${script}</script>`));
  }

  test("has its own texts in the language of the agent, or of the page", async () => {
    const agent = await create({}, { language: "de-AT" });
    const german = await visit(agent, "", "Chat mit Ada");
    await german.write("Guten Tag");
    await german.waitForBubbles("Guten Tag", "Answer to: Guten Tag");
    assert.equal(await german.evaluate("root.querySelector('.agent .text').lang"), "de-AT");
    const french = await visit(agent, 'data-language="fr-CA"', "Discuter avec Ada");
    assert.equal(await french.evaluate("root.querySelector('section').lang"), "fr");
    const unknown = await visit(agent, 'data-language="tlh"', "Chat mit Ada");
    assert.ok(unknown.problems.some((each) => each.includes('no texts in "tlh"')));
    assert.deepEqual([...german.problems, ...french.problems], []);
  });

  test("is mirrored in Arabic, and each message has its own direction, whatever it contains", async () => {
    const visitor = await visit(await create(), 'data-language="ar"', "الدردشة مع Ada");
    const hostile = [
      "مرحبا Ada, how are you?",
      "Hello مرحبا",
      "\u202Egnirts desrever <img src=x onerror=alert(1)>\u2066\u2067",
      `https://shop.example/${"x".repeat(400)}`,
    ];
    for (const [index, text] of hostile.entries()) {
      await visitor.write(text);
      await visitor.waitForBubbles(...hostile.slice(0, index + 1).flatMap((each) => [each, answer(each)]));
    }
    const directions = await visitor.evaluate<string[]>(
      "[...root.querySelectorAll('.user .text')].map((each) => getComputedStyle(each).direction)",
    );
    assert.deepEqual(directions, ["rtl", "ltr", "ltr", "ltr"]);
    assert.equal(await visitor.evaluate("root.querySelectorAll('.text *').length"), 0);
    const overflow = await visitor.evaluate(
      "[...root.querySelectorAll('.messages, .panel')].some((each) => each.scrollWidth > each.clientWidth)",
    );
    assert.equal(overflow, false, "nothing is wider than the panel");
    const isMirrored = await visitor.evaluate(
      "root.querySelector('.bubble.user').getBoundingClientRect().left < root.querySelector('.bubble.agent').getBoundingClientRect().left",
    );
    assert.ok(isMirrored, "the visitor's messages are on the left");
    assert.deepEqual(await violationsOf(visitor.page), []);
    assert.deepEqual(visitor.problems, []);
  });

  test("explains a denied microphone, and leads back to writing", async () => {
    const agent = await create();
    const denied = { "permissions-policy": "microphone=()" };
    const visitor = await WidgetPage.open(chromium, shop.add(tagOf(agent), denied));
    await visitor.press("Chat with Ada");
    await visitor.press("Call");
    await visitor.waitForText(".problem p", "Access to the microphone was denied. Allow it for this page");
    assert.deepEqual(await violationsOf(visitor.page), []);
    await visitor.pressText("Write instead");
    await visitor.write("Then in writing");
    await visitor.waitForBubbles("Then in writing", answer("Then in writing"));
    assert.equal(await visitor.text(".problem p"), undefined);
    assert.equal((await platform.api.listCalls({ agentId: agent.id })).total, 0, "no call has begun");
  });

  test("sends what is written offline when the browser is back, in order and once", async () => {
    const agent = await create();
    const visitor = await visit(agent);
    await visitor.write("one");
    await visitor.waitForBubbles("one", answer("one"));
    await visitor.page.setOfflineMode(true);
    await visitor.waitForText(".notice", "You are offline.");
    await visitor.write("two");
    await visitor.write("three");
    await visitor.page.setOfflineMode(false);
    // One reply answers both.
    await waitFor("the answer", async () => /^Answer.*three/.test((await visitor.bubbles()).at(-1) ?? ""));
    const isOwn = (text: string): boolean => !text.startsWith("Answer");
    assert.deepEqual((await visitor.bubbles()).filter(isOwn), ["one", "two", "three"]);
    const { data } = await platform.api.listConversations({ agentId: agent.id });
    const { transcript } = await platform.api.getConversation(data[0]?.id ?? "");
    const stored = transcript.filter(({ role }) => role === "user").map(({ text }) => text);
    assert.deepEqual(stored, ["one", "two", "three"]);
    assert.equal(await visitor.text(".notice"), undefined);
  });

  test("says when a reached limit of messages ends, and keeps the message", async () => {
    const visitor = await visit(await create({ limits: { messagesPerDay: 1 } }));
    await visitor.write("one");
    await visitor.waitForBubbles("one", answer("one"));
    await visitor.write("two");
    await visitor.waitForText(".problem p", "You can write again in 24 hours (");
    await visitor.waitForBubbles("one", answer("one"), "two");
    await visitor.waitForText(".retry", "Not sent. Try again");
    assert.deepEqual(await violationsOf(visitor.page), []);
  });

  test("says that an agent is gone, and goes on when it is back", async () => {
    const agent = await create();
    const visitor = await visit(agent);
    await visitor.write("one");
    await visitor.waitForBubbles("one", answer("one"));
    await platform.api.updateAgent(agent.id, { status: "disabled" });
    await visitor.write("two");
    await visitor.waitForText(".problem p", "The assistant is not available at present.");
    await platform.api.updateAgent(agent.id, { status: "active" });
    await visitor.pressText("Not sent. Try again");
    await visitor.waitForBubbles("one", answer("one"), "two", answer("two"));
    await platform.api.deleteAgent(agent.id);
    await visitor.write("three");
    await visitor.waitForText(".problem p", "The assistant is not available at present.");
    await visitor.page.reload();
    await waitFor("the reason", () => visitor.problems.some((each) => each.includes("There is no widget")));
    assert.equal(await visitor.page.$("parley-widget"), null);
  });

  test("continues a call that a reload interrupted", async () => {
    const visitor = await visit(await create({ continuity: { resumeCalls: true } }));
    const microphone = await ScriptedMicrophone.install(visitor.page);
    await visitor.press("Call");
    await visitor.waitForText(".captions", "Hello.");
    await visitor.page.waitForSelector(">>> .call[data-state=listening]");
    await microphone.say(await readRecording("go-forward.wav"));
    await visitor.waitForText(".captions", answer(QUESTION));
    await visitor.page.reload();
    await visitor.waitForText(".call-state", "Your call was interrupted");
    requests.length = 0;
    await visitor.pressText("Continue the call");
    await visitor.page.waitForSelector(">>> .call[data-state=listening], >>> .call[data-state=speaking]");
    const request = await waitFor("the greeting of the second call", () => requests[0]);
    assert.match(JSON.stringify(request.messages), new RegExp(QUESTION));
    await visitor.press("Hang up");
    await visitor.page.reload();
    await visitor.page.waitForSelector(">>> .composer");
  });

  test("works without storage, with a wrong clock, and under a strict policy", async () => {
    const agent = await create();
    const policy = [
      "default-src 'none'",
      `script-src ${platform.url}`,
      `connect-src ${platform.url}`,
      "require-trusted-types-for 'script'",
    ].join("; ");
    const visitor = await WidgetPage.open(
      chromium,
      shop.add(tagOf(agent), { "content-security-policy": policy }),
    );
    let sessions = 0;
    visitor.page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/sessions")) sessions += 1;
    });
    await visitor.page.evaluateOnNewDocument(`{
      const refuse = () => { throw new DOMException("Denied", "SecurityError"); };
      for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get: refuse });
      LockManager.prototype.request = async () => refuse();
      const now = Date.now;
      Date.now = () => now() + ${10 * 365 * DAY_MS};
    }`);
    await visitor.page.reload();
    await visitor.press("Chat with Ada");
    for (const text of ["one", "two"]) {
      await visitor.write(text);
      await waitFor("the answer", async () => (await visitor.bubbles()).at(-1) === answer(text));
    }
    await visitor.press("Call");
    await visitor.waitForText(".captions", "Hello.");
    await visitor.press("Hang up");
    assert.equal(sessions, 1);
    assert.deepEqual(visitor.problems, []);
  });

  test("shows one chat in two tabs that are opened at the same time", async () => {
    const address = shop.add(tagOf(await create()));
    const first = await WidgetPage.open(chromium, address);
    const second = new WidgetPage(await first.page.browserContext().newPage(), []);
    await second.page.goto(address);
    await Promise.all([first.press("Chat with Ada"), second.press("Chat with Ada")]);
    await first.write("From the first");
    await second.waitForBubbles("From the first", answer("From the first"));
    await second.write("From the second");
    const all = ["From the first", "From the second"].flatMap((text) => [text, answer(text)]);
    await first.waitForBubbles(...all);
    await Promise.all([first.page.reload(), second.page.reload()]);
    for (const tab of [first, second]) await tab.waitForBubbles(...all);
  });

  test("is used as a module, with events", async () => {
    const agent = await create();
    const script = `
      import { mount } from "${platform.url}/widget.mjs";
      window.events = [];
      window.widget = mount({ serverUrl: "${platform.url}", widgetKey: "${agent.widgetKey}", language: "nl" });
      for (const name of ["ready", "open", "close", "message", "callStarted", "callEnded", "error"])
        widget.on(name, (event) => events.push([name, event]));`;
    const visitor = await openModule(script);
    const { page } = visitor;
    const eventsOf = async (name: string) =>
      ((await page.evaluate("events")) as [string, Record<string, string>][])
        .filter(([each]) => each === name)
        .map(([, event]) => event);
    const next = async (name: string, count = 1) =>
      await waitFor(`${count} ${name}`, async () => (await eventsOf(name))[count - 1]);
    await waitFor("the widget", async () => (await eventsOf("ready")).length === 1);
    await page.evaluate("widget.open()");
    await visitor.write("Goedendag");
    const reply = await next("message", 2);
    assert.deepEqual([reply["role"], reply["text"]], ["agent", answer("Goedendag")]);
    await visitor.press("Bellen");
    const { callId = "" } = await next("callStarted");
    assert.equal((await platform.api.getCall(callId)).channel, "web");
    await visitor.press("Ophangen");
    assert.deepEqual(await next("callEnded"), { callId, reason: "user_hangup" });
    await page.evaluate("widget.close()");
    assert.equal((await eventsOf("open")).length, 1);
    assert.equal((await eventsOf("close")).length, 1);
    await platform.api.updateAgent(agent.id, { status: "disabled" });
    await page.evaluate("widget.open()");
    await visitor.write("Nog iets");
    const problem = await next("error");
    assert.deepEqual(problem, {
      code: "not_available",
      message: "De assistent is op dit moment niet beschikbaar.",
    });
    await page.evaluate("widget.destroy()");
    assert.equal(await page.$("parley-widget"), null);
  });

  test("gives a module the reason if its page is refused", async () => {
    const { widgetKey } = await create({ allowedDomains: ["shop.example"] });
    const { page } = await openModule(`
      import { mount } from "${platform.url}/widget.mjs";
      window.errors = [];
      mount({ serverUrl: "${platform.url}", widgetKey: "${widgetKey}" }).on("error", (event) => errors.push(event));`);
    const isRefused = async (): Promise<boolean> =>
      (await page.evaluate("errors.map(({ code }) => code).join()")) === "page_not_allowed";
    await waitFor("the error", isRefused);
    assert.equal(await page.$("parley-widget"), null);
  });

  test("shows a reply once and whole when the server was restarted in the middle of it", async () => {
    const visitor = await visit(await create());
    await visitor.write("Story");
    await waitFor("the middle of the reply", async () => (await visitor.bubbles()).at(-1)?.includes("word5"));
    assert.ok(!(await visitor.bubbles()).includes(STORY), "the reply is not complete yet");
    await restart();
    await visitor.waitForBubbles("Story", STORY);
    await visitor.write("And then?");
    await visitor.waitForBubbles("Story", STORY, "And then?", answer("And then?"));
  });
});
