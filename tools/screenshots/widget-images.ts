/** The widget on a page, light and dark, on a desktop and a phone, from left to right and from right to left. */
import type { Agent } from "@parley/client/api";
import { waitFor } from "@parley/testing";
import type { Chromium } from "../../e2e/support/web/chromium.ts";
import { ParleyPage } from "../../e2e/support/web/parley-page.ts";
import { Shop, WidgetPage } from "../../e2e/support/web/widget-page.ts";
import { ANSWER, type SeededPlatform } from "./seed.ts";

interface Scene {
  name: string;
  /** Attributes of the tag. */
  attributes?: string;
  /** Headers of the page. */
  headers?: Readonly<Record<string, string>>;
  launcher: string;
  prepare: (visitor: WidgetPage) => Promise<void>;
}

const LAUNCHER = "Chat with Harbor Dental";

const scenes: readonly Scene[] = [
  { name: "closed", launcher: "", prepare: async () => {} },
  {
    name: "chat",
    launcher: LAUNCHER,
    prepare: async (visitor) => await converse(visitor, "Do you have a free appointment this week?"),
  },
  {
    name: "arabic",
    attributes: 'data-language="ar"',
    launcher: "الدردشة مع Harbor Dental",
    prepare: async (visitor) => await converse(visitor, "هل لديكم موعد متاح هذا الأسبوع؟ (Harbor Dental)"),
  },
  {
    name: "offline",
    attributes: 'data-language="de"',
    launcher: "Chat mit Harbor Dental",
    prepare: async (visitor) => {
      await converse(visitor, "Haben Sie diese Woche einen Termin frei?");
      await visitor.page.setOfflineMode(true);
      await visitor.waitForText(".notice", "offline");
      await visitor.write("Am liebsten am Dienstag.");
    },
  },
  {
    name: "call",
    launcher: LAUNCHER,
    prepare: async (visitor) => {
      await visitor.press("Call");
      await visitor.page.waitForSelector(">>> .captions .agent");
    },
  },
  {
    name: "microphone-denied",
    headers: { "permissions-policy": "microphone=()" },
    launcher: LAUNCHER,
    prepare: async (visitor) => {
      await visitor.press("Call");
      await visitor.page.waitForSelector(">>> .problem");
    },
  },
];

/** Returns the number of images. */
export async function photographWidget(
  { platform }: SeededPlatform,
  chromium: Chromium,
  folder: string,
): Promise<number> {
  const { widgetKey } = await createAgent(platform);
  const shop = await Shop.start();
  let count = 0;
  try {
    for (const { name, attributes = "", headers = {}, launcher, prepare } of scenes) {
      const tag = `<script src="${platform.url}/widget.js" data-widget-key="${widgetKey}" ${attributes} async></script>`;
      const visitor = await WidgetPage.open(chromium, shop.add(tag, headers));
      await visitor.page.waitForSelector(">>> .launcher");
      if (launcher !== "") await visitor.press(launcher);
      await prepare(visitor);
      await new ParleyPage(visitor.page).forEachLook(async (look) => {
        await visitor.page.screenshot({ path: `${folder}/widget-${name}-${look}.png` });
        count += 1;
      });
      await visitor.page.browserContext().close();
    }
  } finally {
    shop.close();
  }
  return count;
}

async function createAgent({ api }: SeededPlatform["platform"]): Promise<Agent> {
  return await api.createAgent({
    name: "Harbor Dental",
    firstMessage: "Hello, this is Harbor Dental. How can I help?",
    widgetConfig: {
      enabled: true,
      appearance: { theme: "auto", accentColor: "#0f766e", welcomeMessage: "Welcome! How can we help?" },
    },
  });
}

/** Writes a question and waits for the whole answer. */
async function converse(visitor: WidgetPage, question: string): Promise<void> {
  await visitor.write(question);
  const isAnswered = async (): Promise<boolean> => (await visitor.bubbles()).at(-1) === ANSWER;
  await waitFor("the answer", isAnswered);
}
