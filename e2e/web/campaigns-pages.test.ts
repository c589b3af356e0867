import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Campaign } from "@parley/client/api";
import { waitFor } from "@parley/testing";
import { CampaignCarrier } from "../campaigns/carrier-scenario.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";
import { ParleyPage } from "../support/web/parley-page.ts";

const CAMPAIGN_MS = 90_000;

/** A number that the carrier treats as its last digit says. */
const numberOf = (index: number, digit: number): string =>
  `+1415222${String(index * 10 + digit).padStart(4, "0")}`;

/** A day of the week, 1 to 7, and an hour of it. */
interface Place {
  day: number;
  hour: number;
}

const skip = skipWithoutChromium || skipWithout("sipp");

describe("the pages of campaigns", { skip }, () => {
  let platform: Platform;
  let chromium: Chromium;
  let providers: ScriptedProviders;
  let carrier: CampaignCarrier;
  let folder: string;
  let line: { agentId: string; fromNumber: string };

  before(async () => {
    providers = await startScriptedProviders("Who is calling?", () => ({ text: "The railway club." }));
    carrier = await CampaignCarrier.start();
    platform = await Platform.start({ env: providers.env });
    chromium = await Chromium.launch();
    folder = await mkdtemp(path.join(tmpdir(), "parley-contacts-"));
    const { agentId, number, sipTrunkId } = await createAgent(platform, {
      voiceId: null,
      startSpeaker: "user",
      recordingEnabled: false,
      timezone: "America/Chicago",
    });
    await platform.api.updateSipTrunk(sipTrunkId, { proxyAddress: `127.0.0.1:${carrier.port}` });
    line = { agentId, fromNumber: number };
  });

  after(async () => {
    await chromium.close();
    await platform.stop();
    await carrier.stop();
    await providers.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(address: string, key = platform.apiKey) {
    const { page, problems } = await chromium.open(`${platform.url}${address}#key=${key}`);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    return { shown: new ParleyPage(page), page, problems };
  }

  async function upload({ page }: ParleyPage, csv: string): Promise<void> {
    const file = path.join(folder, "contacts.csv");
    await writeFile(file, csv);
    const field = await page.waitForSelector("input[type=file]");
    assert.ok(field !== null);
    await (field as unknown as { uploadFile: (name: string) => Promise<void> }).uploadFile(file);
  }

  async function becomes(id: string, status: Campaign["status"]): Promise<Campaign> {
    return await waitFor(
      `the campaign to be ${status}`,
      async () => {
        const campaign = await platform.api.getCampaign(id);
        return campaign.status === status && campaign;
      },
      CAMPAIGN_MS,
    );
  }

  /** Chooses from the menu of actions. */
  async function act(shown: ParleyPage, words: string): Promise<void> {
    await shown.press("Actions");
    await shown.page.locator(`[role=menu] ::-p-text(${words})`).click();
  }

  /** Draws on the week with the mouse, from one day and hour to another. */
  async function drag({ page }: ParleyPage, from: Place, to: Place): Promise<void> {
    const week = await page.waitForSelector(".week-lanes");
    await week?.scrollIntoView();
    const box = await week?.boundingBox();
    assert.ok(box);
    const at = ({ day, hour }: Place): [number, number] => [
      box.x + (box.width * hour) / 24,
      box.y + (box.height * (day - 0.5)) / 7,
    ];
    await page.mouse.move(...at(from));
    await page.mouse.down();
    await page.mouse.move(...at(to), { steps: 3 });
    await page.mouse.up();
    // The button is up: nothing is drawn.
    await page.mouse.move(...at({ day: 6, hour: 22 }));
  }

  test("lead from none to one that runs, by a file whose rows are checked", async () => {
    const { shown, page, problems } = await open("/campaigns");
    await shown.waitForText("No campaigns yet");
    assert.deepEqual(await shown.inspect("campaigns-empty"), []);
    await page.locator("main ::-p-text(Create a campaign)").click();
    await shown.waitForText("1. Who calls");
    await shown.press("Continue");
    await shown.waitForText("is required");
    await shown.fill("name", "Spring reminder");
    await shown.choose("agentId", "Railway club");
    await shown.choose("fromNumber", line.fromNumber);
    assert.deepEqual(await shown.inspect("campaign-new-line"), []);
    await shown.press("Continue");
    const rows = [0, 4, 5, 8, 9].map((digit) => `Person ${digit},${numberOf(0, digit)}`);
    await upload(
      shown,
      [
        "First name,Phone",
        ...rows,
        `Twin,${numberOf(0, 0)}`,
        "Local,(212) 555-0142",
        "Nobody,12",
        "Far,+4930123456",
      ].join("\n"),
    );
    await shown.waitForText("6 contacts ready");
    await shown.waitForText("2 rows with a problem");
    await shown.waitForText("1 repeated number left out");
    await shown.waitForText("America/Los_Angeles");
    await shown.waitForText("must be a possible phone number");
    assert.deepEqual(await shown.inspect("campaign-new-contacts"), []);
    await page.locator("::-p-text(Leave out the rows with a problem)").click();
    await shown.press("Continue");
    await shown.waitForText("Monday to Friday, 09:00 to 18:00");
    assert.equal(
      await page.$eval('[data-path="callingWindow.timezone"]', (field) => field.getAttribute("value")),
      "America/Chicago",
    );
    await shown.press("Every day");
    await shown.waitForText("Every day, 09:00 to 20:00");
    assert.deepEqual(await shown.inspect("campaign-new-window"), []);
    await drag(shown, { day: 4, hour: 16.7 }, { day: 2, hour: 10.2 });
    await shown.waitForText("Tuesday to Thursday, 10:00 to 17:00");
    await page.focus("input[type=radio][value=always]");
    await page.keyboard.press("Space");
    await shown.press("Continue");
    await shown.fill("callsPerSecond", "10");
    await shown.fill("retryPolicy.maxAttempts", "1");
    assert.deepEqual(await shown.inspect("campaign-new-pace"), []);
    await shown.press("Continue");
    await shown.waitForText("6 contacts");
    assert.deepEqual(await shown.inspect("campaign-new-review"), []);
    await shown.press("Save as a draft");
    await shown.waitForText("The campaign is a draft");
    const { data } = await platform.api.listCampaigns();
    const [created] = data;
    assert.ok(created !== undefined);
    const { callingWindow, callsPerSecond, retryPolicy, progress } = created;
    assert.deepEqual(
      [callingWindow, callsPerSecond, retryPolicy.maxAttempts, progress.total],
      [null, 10, 1, 6],
    );
    const contacts = await platform.api.listCampaignContacts(created.id, { sort: "asc" });
    assert.deepEqual(
      contacts.data.map(({ toNumber, timezone, variables }) => [toNumber, timezone, variables]).at(-1),
      ["+12125550142", "America/New_York", { first_name: "Local" }],
    );
    assert.deepEqual(problems, []);
  });

  test("show the progress until the end, the outcomes over time, and each contact with its calls", async () => {
    const [draft] = (await platform.api.listCampaigns()).data;
    const id = draft?.id ?? "";
    const { shown, page, problems } = await open(`/campaigns/${id}`);
    await shown.press("Start");
    await page.waitForSelector("main ::-p-text(Completed)", { timeout: CAMPAIGN_MS });
    await page.waitForSelector(".recharts-bar-rectangle");
    assert.match(await shown.text("main"), /Contacts done100 %/);
    assert.deepEqual(await shown.inspect("campaign-progress"), []);
    const { progress } = await becomes(id, "completed");
    assert.equal(progress.outcomes["busy"], 1);
    await page.locator("main .bars a ::-p-text(Busy)").click();
    await page.waitForSelector(`table ::-p-text(${numberOf(0, 4)})`);
    assert.equal(new URL(page.url()).searchParams.get("outcome"), "busy");
    assert.deepEqual(await shown.inspect("campaign-contacts"), []);
    await page.locator(`table ::-p-text(${numberOf(0, 4)})`).click();
    await shown.waitForText("Person 4");
    assert.deepEqual(await shown.inspect("campaign-contact"), []);
    await page.locator("[aria-label='Calls to this contact'] a").click();
    await page.locator("main a ::-p-text(Open the campaign)").click();
    await shown.waitForText("Contacts by status");
    assert.deepEqual(problems, []);
  });

  test("show why a campaign has stopped itself, and go on when the cause is mended", async () => {
    // The carrier answers 503 to these.
    const failing = Array.from({ length: 15 }, (_, index) => ({ toNumber: numberOf(index + 1, 8) }));
    const settings = { ...line, callsPerSecond: 10, maxConcurrency: 5, start: true };
    const { id } = await platform.api.createCampaign({ ...settings, name: "Failing", contacts: failing });
    const { shown, page, problems } = await open(`/campaigns/${id}`);
    await page.waitForSelector("[role=alert] ::-p-text(most of the last dials failed)", {
      timeout: CAMPAIGN_MS,
    });
    await shown.waitForText("503");
    assert.deepEqual(await shown.inspect("campaign-stopped"), []);
    await page.locator("[role=alert] a ::-p-text(Check the trunk)").click();
    await shown.waitForText("Check");
    const { progress } = await platform.api.getCampaign(id);
    assert.ok((progress.outcomes["failed"] ?? 0) >= 10);

    await platform.api.updateAgent(line.agentId, { status: "disabled" });
    await page.goto(`${platform.url}/campaigns/${id}`);
    await shown.press("Resume");
    await shown.waitForText("That did not work");
    await platform.api.updateAgent(line.agentId, { status: "active" });
    await shown.press("Resume");
    await page.waitForSelector("main ::-p-text(Completed)", { timeout: CAMPAIGN_MS });
    assert.equal(await page.$("[role=alert] ::-p-text(paused itself)"), null);
    await page.goto(`${platform.url}/campaigns`);
    await shown.waitForText("Failing");
    assert.deepEqual(await shown.inspect("campaigns"), []);
    // The browser reports each refusal of the API.
    assert.ok(
      problems.every((problem) => problem.includes("409")),
      problems.join("\n"),
    );
  });

  test("pause, resume, add contacts, cancel and copy", async () => {
    const contacts = Array.from({ length: 5 }, (_, index) => ({ toNumber: numberOf(index + 20, 0) }));
    const { id } = await platform.api.createCampaign({
      ...line,
      name: "Slow",
      contacts,
      callsPerSecond: 0.1,
      start: true,
    });
    const { shown, page } = await open(`/campaigns/${id}`);
    const other = await open(`/campaigns/${id}`);
    await shown.press("Pause");
    await shown.waitForText("The campaign is paused");
    assert.equal((await platform.api.getCampaign(id)).statusReason, "requested");
    assert.equal(await page.$("[role=alert]"), null);
    // Somebody else sees the pause, and resumes.
    await other.shown.press("Resume");
    await becomes(id, "running");
    await act(shown, "Add contacts");
    await upload(shown, `${numberOf(30, 0)}\n${numberOf(20, 0)}\n`);
    await shown.press("Add 2 contacts");
    await shown.waitForText("1 contacts are added. 1 were there before.");
    await page.waitForSelector(`table ::-p-text(${numberOf(30, 0)})`);
    await act(shown, "Cancel for good");
    await shown.waitForText("A canceled campaign cannot be resumed");
    assert.deepEqual(await shown.inspect("campaign-cancel"), []);
    await shown.press("Cancel the campaign");
    await becomes(id, "canceled");
    await page.waitForSelector("h1 ~ * ::-p-text(Canceled)");
    await act(shown, "Copy");
    await shown.waitForText("Copy of Slow");
    await shown.press("2. Contacts");
    await shown.press("Those who were not reached");
    await shown.waitForText("contacts ready");
    await shown.press("5. Review");
    await shown.waitForText("One call every 10 seconds at most");
    await shown.press("Save as a draft");
    await shown.waitForText("The campaign is a draft");
    await shown.waitForText("Slow (copy)");
    await page.locator(".tab-links ::-p-text(Settings)").click();
    await page.waitForSelector('[data-path="maxConcurrency"]');
    assert.deepEqual(await shown.inspect("campaign-settings-draft"), []);
    await shown.fill("maxConcurrency", "7");
    await shown.press("Save");
    await shown.waitForText("Slow (copy) is saved");
    const [copy] = (await platform.api.listCampaigns()).data;
    assert.deepEqual([copy?.status, copy?.maxConcurrency], ["draft", 7]);
  });

  test("show a draft to a key that only reads, without what the API would refuse it", async () => {
    const draft = await platform.api.createCampaign({
      ...line,
      name: "Read",
      callingWindow: { start: "09:00", end: "18:00", timezone: "America/Chicago", days: [1, 2] },
      contacts: [{ toNumber: numberOf(40, 0) }],
    });
    for (const role of ["admin", "read"] as const) {
      const { key } = await platform.api.createApiKey({ name: role, role });
      const { shown, page, problems } = await open(`/campaigns/${draft.id}/settings`, key);
      await page.waitForSelector(".week-lanes");
      await page.waitForNetworkIdle();
      const mayWrite = role === "admin";
      const has = async (words: string): Promise<boolean> =>
        (await page.$(`main ::-p-text(${words})`)) !== null;
      for (const words of ["Start", "Save"]) assert.equal(await has(words), mayWrite, `${role}: ${words}`);
      assert.equal(await has("Your role may read this campaign"), !mayWrite);
      const before = await shown.text("main");
      await drag(shown, { day: 1, hour: 6.2 }, { day: 7, hour: 8.1 });
      assert.equal((await shown.text("main")) === before, !mayWrite, `${role} draws on the week`);
      await shown.press("Actions");
      await page.waitForSelector("[role=menu] ::-p-text(Export contacts as CSV)", { visible: true });
      const items = await page.$$eval("[role=menuitem]", (all) => all.map((each) => each.textContent));
      assert.deepEqual(items.length, mayWrite ? 5 : 1, `${role}: ${items.join(", ")}`);
      assert.deepEqual(problems, []);
    }
    await platform.api.deleteCampaign(draft.id);
  });
});
