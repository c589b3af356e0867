/**
 * A sound in the notation of the CMU Pronouncing Dictionary: a vowel with its stress (`EY1`; 0 none, 1 primary, 2
 * secondary) or a consonant (`K`).
 */
export type Phone = string;

const SPELLINGS: readonly (readonly [ipa: string, phone: string])[] = [
  // Longer spellings first, because they contain shorter ones.
  ["tʃ", "CH"],
  ["dʒ", "JH"],
  ["aɪ", "AY"],
  ["aʊ", "AW"],
  ["eɪ", "EY"],
  ["oʊ", "OW"],
  ["ɔɪ", "OY"],
  ["ɑ", "AA"],
  ["a", "AA"],
  ["æ", "AE"],
  ["ʌ", "AH"],
  ["ə", "AH"],
  ["ɔ", "AO"],
  ["ɛ", "EH"],
  ["e", "EH"],
  ["ɝ", "ER"],
  ["ɚ", "ER"],
  ["ɜ", "ER"],
  ["ɪ", "IH"],
  ["i", "IY"],
  ["ʊ", "UH"],
  ["u", "UW"],
  ["o", "OW"],
  ["b", "B"],
  ["d", "D"],
  ["ð", "DH"],
  ["f", "F"],
  ["ɡ", "G"],
  ["g", "G"],
  ["h", "HH"],
  ["j", "Y"],
  ["k", "K"],
  ["ɫ", "L"],
  ["l", "L"],
  ["m", "M"],
  ["n", "N"],
  ["ŋ", "NG"],
  ["p", "P"],
  ["ɹ", "R"],
  ["r", "R"],
  ["s", "S"],
  ["ʃ", "SH"],
  ["t", "T"],
  ["ɾ", "T"],
  ["θ", "TH"],
  ["v", "V"],
  ["w", "W"],
  ["z", "Z"],
  ["ʒ", "ZH"],
];

/** Whether the phone is a vowel: only those begin with a vowel letter. */
export function isVowel(phone: Phone): boolean {
  return /^[AEIOU]/.test(phone);
}

/**
 * Converts the IPA of one word (stress marks before the syllable, as in dictionaries) to ARPAbet. Symbols that English
 * does not have are dropped.
 */
export function ipaToArpabet(ipa: string): Phone[] {
  const phones: Phone[] = [];
  let stress = "0";
  for (let at = 0; at < ipa.length;) {
    const rest = ipa.slice(at);
    const spelling = SPELLINGS.find(([symbol]) => rest.startsWith(symbol));
    if (spelling === undefined) {
      stress = rest.startsWith("ˈ") ? "1" : rest.startsWith("ˌ") ? "2" : stress;
      at += 1;
      continue;
    }
    const [symbol, phone] = spelling;
    if (isVowel(phone)) {
      phones.push(phone + stress);
      stress = "0";
    } else {
      phones.push(phone);
    }
    at += symbol.length;
  }
  return phones;
}

/** The same sounds without stress: the form of a function word within a clause. */
export function withoutStress(phones: readonly Phone[]): Phone[] {
  return phones.map((phone) => phone.replace(/[12]$/, "0"));
}

export function withSecondaryStress(phones: readonly Phone[]): Phone[] {
  return phones.map((phone) => phone.replace(/1$/, "2"));
}
