import { wordsOf } from "../../flow/flow-text.ts";

/** Words with which a person takes or declines a call. Of several words: only next to each other. */
interface DecisionWords {
  accept: readonly string[];
  refuse: readonly string[];
}

/** By language without region. */
const WORDS: Readonly<Record<string, DecisionWords>> = {
  en: {
    accept: [
      "no problem",
      "why not",
      "yes",
      "yeah",
      "yep",
      "yup",
      "sure",
      "ok",
      "okay",
      "alright",
      "of course",
      "go ahead",
      "certainly",
      "absolutely",

      "put them through",
      "put him through",
      "put her through",
      "i'll take it",
      "i take it",
    ],
    refuse: [
      "no",
      "nope",
      "nah",
      "not",
      "can't",
      "cannot",
      "don't",
      "won't",

      "busy",
      "later",
    ],
  },
  de: {
    accept: ["kein problem", "ja", "jawohl", "gerne", "gern", "okay", "ok", "klar", "natürlich"],
    refuse: ["nein", "nee", "nicht", "kein", "keine", "später"],
  },
  fr: {
    accept: ["pas de problème", "oui", "d'accord", "ok", "okay", "volontiers", "bien sûr"],
    refuse: ["non", "pas", "plus tard"],
  },
  es: {
    accept: ["no hay problema", "sí", "si", "claro", "vale", "de acuerdo", "por supuesto"],
    refuse: ["no", "ahora no", "más tarde"],
  },
  it: {
    accept: ["nessun problema", "sì", "si", "certo", "va bene", "d'accordo"],
    refuse: ["no", "non", "più tardi"],
  },
  pt: {
    accept: ["não há problema", "sem problema", "sim", "claro", "certo", "está bem"],
    refuse: ["não", "mais tarde"],
  },
  nl: {
    accept: ["geen probleem", "ja", "jawel", "graag", "oké", "ok", "prima", "natuurlijk"],
    refuse: ["nee", "niet", "geen", "later"],
  },
  pl: {
    accept: ["nie ma problemu", "tak", "dobrze", "jasne", "oczywiście"],
    refuse: ["nie", "później"],
  },
  hi: {
    accept: ["हाँ", "हां", "जी", "ठीक है"],
    refuse: ["नहीं", "बाद में"],
  },
  ar: {
    accept: ["نعم", "حسنا", "حسناً", "تمام"],
    refuse: ["لا"],
  },
  // Words are not separated: only whole answers count.
  ja: {
    accept: ["はい", "はいお願いします", "大丈夫です", "お願いします"],
    refuse: ["いいえ", "無理です", "できません"],
  },
  zh: {
    accept: ["好", "好的", "可以", "是", "是的", "接", "行"],
    refuse: ["不", "不用", "不要", "不行", "不接", "不可以"],
  },
};

/** A language without words: keys decide. */
const NO_WORDS: DecisionWords = { accept: [], refuse: [] };

export type BriefingDecision = "accept" | "refuse";

/** Reads a person's answer; `undefined` if it has words of both decisions, or of none. */
export function readDecision(text: string, language: string): BriefingDecision | undefined {
  const tag = language.split("-")[0]?.toLowerCase() ?? "";
  const { accept, refuse } = (Object.hasOwn(WORDS, tag) ? WORDS[tag] : undefined) ?? NO_WORDS;
  const accepted = take(` ${wordsOf(text)} `, accept);
  const refused = take(accepted.rest, refuse);
  if (accepted.isFound === refused.isFound) return undefined;
  return accepted.isFound ? "accept" : "refuse";
}

/** Takes the phrases out of the words, so that `no problem` is no `no`. */
function take(words: string, phrases: readonly string[]): { isFound: boolean; rest: string } {
  const rest = phrases.reduce((left, phrase) => left.replaceAll(` ${phrase} `, "  "), words);
  return { isFound: rest !== words, rest };
}
