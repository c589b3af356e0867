/** How numbers are dictated in a language. */
export interface NumberWords {
  /** Words for one digit, for tens and hundreds, each counted as one digit. */
  words: ReadonlySet<string>;
  /** Words that repeat the next digit, with the digits that they add. */
  repeats: Readonly<Record<string, number>>;
  /** Requests for a number. */
  request: RegExp;
}

const language = (words: string, request: RegExp, repeats: NumberWords["repeats"] = {}): NumberWords => ({
  words: new Set(words.split(" ")),
  request,
  repeats,
});

/** By language without region. */
const languages: Readonly<Record<string, NumberWords>> = {
  ar: language(
    "صفر واحد واحدة اثنان اثنين ثلاثة ثلاث أربعة اربعة أربع خمسة خمس ستة ست سبعة سبع ثمانية ثمان تسعة تسع عشرة عشر عشرون عشرين ثلاثين أربعين خمسين ستين سبعين ثمانين تسعين مئة",
    /رقم|رمز|كود|حساب/u,
  ),
  de: language(
    "null eins ein zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
    /nummer|\bcode\b|ziffern|\bpin\b|postleitzahl|geburtsdatum|konto/iu,
    { doppel: 1, doppelt: 1 },
  ),
  en: language(
    "zero oh o one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
      "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred",
    /\b(number|code|digits|pin|zip|postcode|account|date of birth|reference)\b/i,
    { double: 1, triple: 2 },
  ),
  es: language(
    "cero uno una un dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento",
    /número|código|dígitos|\bpin\b|cuenta|fecha de nacimiento/iu,
    { doble: 1, triple: 2 },
  ),
  fr: language(
    "zéro un une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante septante huitante nonante cent",
    /numéro|\bcode\b|chiffres|\bpin\b|compte|date de naissance/iu,
    { double: 1, triple: 2 },
  ),
  hi: language(
    "शून्य ज़ीरो जीरो एक दो तीन चार पांच पाँच छह छः सात आठ नौ दस बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे सौ",
    /नंबर|संख्या|कोड|अंक|खाता|पिन/u,
    { डबल: 1, ट्रिपल: 2 },
  ),
  it: language(
    "zero uno una un due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento",
    /numero|codice|cifre|\bpin\b|conto|data di nascita/iu,
    { doppio: 1, triplo: 2 },
  ),
  ja: language(
    "ゼロ レイ まる マル いち に さん よん し ご ろく なな しち はち きゅう く じゅう の",
    /番号|コード|暗証|桁|生年月日|口座/u,
  ),
  nl: language(
    "nul een één twee drie vier vijf zes zeven acht negen tien elf twaalf twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd",
    /nummer|\bcode\b|cijfers|\bpin\b|postcode|geboortedatum|rekening/iu,
    { dubbel: 1 },
  ),
  pl: language(
    "zero jeden jedna dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt sto",
    /numer|\bkod|cyfr|\bpin\b|konta|data urodzenia/iu,
  ),
  pt: language(
    "zero um uma dois duas três quatro cinco seis meia sete oito nove dez onze doze vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento",
    /número|código|dígitos|\bpin\b|conta|data de nascimento/iu,
  ),
  zh: language("", /号码|號碼|密码|密碼|代码|验证码|驗證碼|账号|帳號|生日/u),
};

/** Digits of Chinese and Japanese, which are written without spaces. */
const HAN_DIGITS = /^[零〇一二三四五六七八九十百幺两兩]+$/u;

/** How numbers are dictated in a language (BCP 47); `undefined` if that is not known. */
export function numberWordsOf(tag: string): NumberWords | undefined {
  return languages[tag.split("-")[0]?.toLowerCase() ?? ""];
}

/** Digits that a word of a dictated number stands for; 0 for other words. */
export function digitsIn(word: string, { words, repeats }: NumberWords): number {
  const repeated = Object.hasOwn(repeats, word) ? repeats[word] : undefined;
  if (repeated !== undefined) return repeated;
  if (words.has(word)) return 1;
  if (HAN_DIGITS.test(word)) return word.length;
  return /^[\p{Nd}-]+$/u.test(word) ? word.replaceAll("-", "").length : 0;
}
