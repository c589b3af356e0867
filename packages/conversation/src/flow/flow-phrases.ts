import type { IntentName } from "./flow-definition.ts";
import { wordsOf } from "./flow-text.ts";

/** Whole answers that are understood without a language model, as `wordsOf` writes them. */
interface FlowPhrases extends Record<IntentName, readonly string[]> {
  yes: readonly string[];
  no: readonly string[];
  /** Words for 0 to 20. Those for one number are separated by `|`, spaces within a word are `_`. */
  numbers: string;
}

/** By language without region. Japanese and Chinese are without spaces. */
export const flowPhrases: Readonly<Record<string, FlowPhrases>> = {
  ar: {
    yes: ["نعم", "أجل", "ايوه", "أيوه", "صحيح", "تمام", "نعم من فضلك", "بالتأكيد"],
    no: ["لا", "لا شكرا", "لا شكراً", "كلا", "خطأ"],
    human: ["موظف", "شخص", "أريد التحدث مع شخص", "أريد التحدث إلى شخص", "أريد موظف", "خدمة العملاء"],
    goodbye: ["مع السلامة", "إلى اللقاء", "وداعا", "وداعاً"],
    repeat: ["كرر", "كرر من فضلك", "مرة أخرى", "ماذا", "ماذا قلت", "عفوا", "عفواً", "أعد من فضلك"],
    numbers:
      "صفر واحد|واحدة اثنان|اثنين|اثنتان ثلاثة|ثلاث أربعة|أربع|اربعة خمسة|خمس ستة|ست سبعة|سبع ثمانية|ثماني|ثمان تسعة|تسع عشرة|عشر " +
      "أحد_عشر اثنا_عشر|اثني_عشر ثلاثة_عشر أربعة_عشر خمسة_عشر ستة_عشر سبعة_عشر ثمانية_عشر تسعة_عشر عشرون|عشرين",
  },
  de: {
    yes: [
      "ja",
      "ja bitte",
      "ja gerne",
      "gerne",
      "genau",
      "richtig",
      "stimmt",
      "ja genau",
      "jawohl",
      "ok",
      "okay",
    ],
    no: ["nein", "nein danke", "nee", "falsch", "stimmt nicht"],
    human: [
      "mensch",
      "mitarbeiter",
      "mitarbeiterin",
      "ein mensch",
      "mit einem menschen sprechen",
      "mitarbeiter bitte",
    ],
    goodbye: ["tschüss", "tschüß", "auf wiederhören", "auf wiedersehen", "auflegen"],
    repeat: [
      "wiederholen",
      "bitte wiederholen",
      "wie bitte",
      "noch einmal",
      "noch mal",
      "nochmal",
      "nochmal bitte",
      "was",
    ],
    numbers:
      "null eins|ein|eine|einen zwei|zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn " +
      "achtzehn neunzehn zwanzig",
  },
  en: {
    yes: [
      "yes",
      "yes please",
      "yeah",
      "yep",
      "sure",
      "correct",
      "right",
      "that's right",
      "that is right",
      "ok",
      "okay",
    ],
    no: ["no", "no thanks", "no thank you", "nope", "nah", "wrong", "that's wrong", "not really"],
    human: [
      "human",
      "operator",
      "agent",
      "a person",
      "a human",
      "a real person",
      "representative",
      "speak to a person",
      "talk to a person",
      "speak to someone",
      "talk to someone",
    ],
    goodbye: ["bye", "goodbye", "good bye", "bye bye", "hang up"],
    repeat: [
      "repeat",
      "repeat that",
      "repeat please",
      "please repeat",
      "pardon",
      "what",
      "sorry what",
      "say that again",
      "can you repeat that",
      "again please",
    ],
    numbers:
      "zero|none one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen " +
      "nineteen twenty",
  },
  es: {
    yes: ["sí", "si", "sí por favor", "claro", "claro que sí", "correcto", "exacto", "vale", "de acuerdo"],
    no: ["no", "no gracias", "incorrecto", "para nada"],
    human: [
      "persona",
      "una persona",
      "agente",
      "un agente",
      "operador",
      "operadora",
      "hablar con una persona",
      "hablar con alguien",
    ],
    goodbye: ["adiós", "adios", "hasta luego", "chao", "colgar"],
    repeat: [
      "repetir",
      "repite",
      "repita",
      "repita por favor",
      "repite por favor",
      "cómo",
      "qué",
      "otra vez",
      "puede repetir",
    ],
    numbers:
      "cero uno|una|un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho " +
      "diecinueve veinte",
  },
  fr: {
    yes: ["oui", "oui s'il vous plaît", "d'accord", "exact", "c'est ça", "bien sûr", "tout à fait", "ok"],
    no: ["non", "non merci", "pas du tout", "c'est faux"],
    human: [
      "une personne",
      "un conseiller",
      "une conseillère",
      "conseiller",
      "un agent",
      "parler à quelqu'un",
      "parler à un conseiller",
    ],
    goodbye: ["au revoir", "adieu", "raccrocher", "bonne journée"],
    repeat: [
      "répétez",
      "répéter",
      "répétez s'il vous plaît",
      "pardon",
      "comment",
      "quoi",
      "encore une fois",
      "pouvez vous répéter",
    ],
    numbers:
      "zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf vingt",
  },
  hi: {
    yes: ["हाँ", "हां", "जी", "जी हाँ", "जी हां", "ठीक है", "सही", "बिल्कुल"],
    no: ["नहीं", "जी नहीं", "नहीं धन्यवाद", "गलत", "ग़लत"],
    human: ["इंसान", "किसी व्यक्ति से बात करनी है", "किसी से बात करनी है", "एजेंट", "ऑपरेटर"],
    goodbye: ["अलविदा", "बाय", "फिर मिलेंगे"],
    repeat: ["दोहराइए", "फिर से", "फिर से बोलिए", "दोबारा", "क्या", "क्या कहा"],
    numbers:
      "शून्य|ज़ीरो|जीरो एक दो तीन चार पाँच|पांच छह|छः|छे सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह|पन्द्रह सोलह सत्रह अठारह उन्नीस बीस",
  },
  it: {
    yes: ["sì", "si", "sì grazie", "certo", "esatto", "va bene", "giusto", "d'accordo"],
    no: ["no", "no grazie", "sbagliato", "per niente"],
    human: [
      "una persona",
      "persona",
      "operatore",
      "un operatore",
      "parlare con una persona",
      "parlare con qualcuno",
    ],
    goodbye: ["arrivederci", "addio", "ciao ciao", "riaggancia"],
    repeat: [
      "ripeti",
      "ripeta",
      "ripeta per favore",
      "può ripetere",
      "come",
      "cosa",
      "come scusi",
      "di nuovo",
    ],
    numbers:
      "zero uno|una|un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette " +
      "diciotto diciannove venti",
  },
  ja: {
    yes: [
      "はい",
      "ええ",
      "うん",
      "そうです",
      "はいそうです",
      "はいお願いします",
      "お願いします",
      "大丈夫です",
      "もちろん",
    ],
    no: ["いいえ", "いや", "違います", "いいえ結構です", "結構です", "いりません"],
    human: [
      "オペレーター",
      "担当者",
      "人と話したい",
      "担当者と話したい",
      "担当者をお願いします",
      "オペレーターをお願いします",
    ],
    goodbye: ["さようなら", "さよなら", "失礼します", "バイバイ", "切ります"],
    repeat: [
      "もう一度",
      "もう一度お願いします",
      "もう一回",
      "もう一回お願いします",
      "え",
      "何ですか",
      "なんですか",
    ],
    numbers:
      "ゼロ|零|れい 一|いち|ひとつ|一つ 二|に|ふたつ|二つ 三|さん|みっつ|三つ 四|よん|し|よっつ|四つ 五|ご|いつつ|五つ 六|ろく|むっつ|六つ " +
      "七|なな|しち|ななつ|七つ 八|はち|やっつ|八つ 九|きゅう|く|ここのつ|九つ 十|じゅう|とお 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十",
  },
  nl: {
    yes: ["ja", "ja graag", "graag", "klopt", "dat klopt", "precies", "oké", "ok", "prima"],
    no: ["nee", "nee dank je", "nee bedankt", "dat klopt niet", "fout"],
    human: [
      "een mens",
      "medewerker",
      "een medewerker",
      "iemand spreken",
      "met iemand spreken",
      "een medewerker graag",
    ],
    goodbye: ["doei", "tot ziens", "ophangen"],
    repeat: [
      "herhalen",
      "herhaal",
      "wat zegt u",
      "wat",
      "pardon",
      "nog een keer",
      "nog eens",
      "kunt u dat herhalen",
    ],
    numbers:
      "nul een|één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien " +
      "twintig",
  },
  pl: {
    yes: ["tak", "tak proszę", "zgadza się", "dobrze", "jasne", "oczywiście", "no tak"],
    no: ["nie", "nie dziękuję", "nie zgadza się", "źle"],
    human: [
      "człowiek",
      "konsultant",
      "z konsultantem",
      "połącz z konsultantem",
      "chcę rozmawiać z człowiekiem",
    ],
    goodbye: ["do widzenia", "do usłyszenia", "pa", "żegnam"],
    repeat: ["powtórz", "proszę powtórzyć", "słucham", "co", "jeszcze raz", "jeszcze raz proszę"],
    numbers:
      "zero jeden|jedna|jedno dwa|dwie|dwoje trzy|troje cztery|czworo pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście " +
      "trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście dwadzieścia",
  },
  pt: {
    yes: ["sim", "sim por favor", "claro", "certo", "correto", "isso", "isso mesmo", "está bem", "ok"],
    no: ["não", "não obrigado", "não obrigada", "errado", "de jeito nenhum"],
    human: [
      "atendente",
      "um atendente",
      "uma pessoa",
      "falar com uma pessoa",
      "falar com alguém",
      "falar com um atendente",
    ],
    goodbye: ["tchau", "adeus", "até logo", "até mais", "desligar"],
    repeat: [
      "repetir",
      "repita",
      "repete",
      "repita por favor",
      "como",
      "o quê",
      "de novo",
      "outra vez",
      "pode repetir",
    ],
    numbers:
      "zero um|uma dois|duas três quatro cinco seis sete oito nove dez onze doze treze quatorze|catorze quinze dezesseis|dezasseis " +
      "dezessete|dezassete dezoito dezenove|dezanove vinte",
  },
  zh: {
    yes: ["是", "是的", "对", "对的", "好", "好的", "可以", "行", "没错", "嗯"],
    no: ["不", "不是", "不用", "不用了", "不要", "不行", "不对", "不可以", "不用谢谢"],
    human: ["人工", "人工服务", "转人工", "客服", "找人", "我要人工", "我要找客服"],
    goodbye: ["再见", "拜拜", "挂了", "挂断"],
    repeat: ["再说一遍", "请再说一遍", "重复", "请重复", "什么", "没听清", "再说一次"],
    numbers: "零 一 二|两 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十",
  },
};

const UNSPACED = new Set(["ja", "zh"]);

/** A whole answer and the phrases of its language. */
export class SpokenPhrase {
  readonly #words: string;
  readonly #phrases: FlowPhrases | undefined;

  /** @param language BCP 47. */
  constructor(text: string, language: string) {
    const tag = language.split("-")[0]?.toLowerCase() ?? "";
    const words = wordsOf(text);
    this.#words = UNSPACED.has(tag) ? words.replaceAll(" ", "") : words;
    this.#phrases = Object.hasOwn(flowPhrases, tag) ? flowPhrases[tag] : undefined;
  }

  is(meaning: Exclude<keyof FlowPhrases, "numbers">): boolean {
    return this.#phrases?.[meaning].includes(this.#words) === true;
  }

  /** The number from 0 to 20 that the answer names. */
  get number(): number | undefined {
    const numbers = this.#phrases?.numbers.split(" ") ?? [];
    const value = numbers.findIndex((names) => names.replaceAll("_", " ").split("|").includes(this.#words));
    return value === -1 ? undefined : value;
  }
}
