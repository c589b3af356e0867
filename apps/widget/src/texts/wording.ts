import type { WIDGET_LANGUAGES } from "@parley/contract";
import { texts } from "./en.ts";

/** The widget's own texts in one language. */
export type Texts = Readonly<Record<keyof typeof texts, string>>;

/** A language of the widget's own texts. */
export interface Wording {
  /** BCP 47 tag. */
  language: Language;
  direction: "ltr" | "rtl";
  texts: Texts;
}

export const english: Wording = { language: "en", direction: "ltr", texts };

type Language = (typeof WIDGET_LANGUAGES)[number];

/** Each language is a file of its own, loaded when it is shown. English is part of the widget. */
const loaders: Readonly<Record<Exclude<Language, "en">, () => Promise<{ texts: Texts }>>> = {
  ar: async () => await import("./ar.ts"),
  de: async () => await import("./de.ts"),
  es: async () => await import("./es.ts"),
  fr: async () => await import("./fr.ts"),
  hi: async () => await import("./hi.ts"),
  it: async () => await import("./it.ts"),
  ja: async () => await import("./ja.ts"),
  nl: async () => await import("./nl.ts"),
  pl: async () => await import("./pl.ts"),
  pt: async () => await import("./pt.ts"),
  zh: async () => await import("./zh.ts"),
};

const rightToLeft: ReadonlySet<Language> = new Set(["ar"]);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the loaders
export const languages = ["en", ...Object.keys(loaders)].sort() as readonly Language[];

/** Returns the language of the widget's texts for a BCP 47 tag; `undefined` if it has none. */
export function findLanguage(tag: string): Language | undefined {
  const language = tag.trim().split(/[-_]/)[0]?.toLowerCase();
  return languages.find((each) => each === language);
}

/** Loads the texts of a language. Returns the English ones if they cannot be loaded. */
export async function loadWording(language: Language): Promise<Wording> {
  if (language === "en") return english;
  try {
    const direction = rightToLeft.has(language) ? "rtl" : "ltr";
    return { language, direction, texts: (await loaders[language]()).texts };
  } catch {
    // After an update the server no longer has the files of earlier pages.
    return english;
  }
}

/** A text with its placeholders, such as `{name}`, replaced. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/** When to try again, as in “in 5 minutes”; from an hour on with the time of day, as in “in 24 hours (Tue 3:40 PM)”. */
export function describeWait(
  seconds: number | undefined,
  { language, texts: { later } }: Wording,
  now: Date,
) {
  if (seconds === undefined) return later;
  const minutes = Math.ceil(seconds / 60);
  const format = new Intl.RelativeTimeFormat(language);
  if (seconds <= 90) return format.format(Math.ceil(seconds), "second");
  if (minutes <= 90) return format.format(minutes, "minute");
  const at = new Intl.DateTimeFormat(language, { weekday: "short", hour: "numeric", minute: "2-digit" });
  const end = at.format(new Date(now.getTime() + seconds * 1000));
  return `${format.format(Math.ceil(minutes / 60), "hour")} (${end})`;
}
