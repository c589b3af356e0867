/** Words with two pronunciations. `verb`: after a subject, a modal or `to`; `other`: otherwise. */
const VERB_OR_OTHER: Record<string, { verb: string; other: string }> = {
  close: { verb: "K L OW1 Z", other: "K L OW1 S" },
  conduct: { verb: "K AH0 N D AH1 K T", other: "K AA1 N D AH0 K T" },
  conflict: { verb: "K AH0 N F L IH1 K T", other: "K AA1 N F L IH0 K T" },
  content: { verb: "K AH0 N T EH1 N T", other: "K AA1 N T EH0 N T" },
  contract: { verb: "K AH0 N T R AE1 K T", other: "K AA1 N T R AE2 K T" },
  decrease: { verb: "D IH0 K R IY1 S", other: "D IY1 K R IY2 S" },
  estimate: { verb: "EH1 S T AH0 M EY2 T", other: "EH1 S T AH0 M AH0 T" },
  house: { verb: "HH AW1 Z", other: "HH AW1 S" },
  import: { verb: "IH0 M P AO1 R T", other: "IH1 M P AO2 R T" },
  increase: { verb: "IH0 N K R IY1 S", other: "IH1 N K R IY2 S" },
  insert: { verb: "IH0 N S ER1 T", other: "IH1 N S ER0 T" },
  live: { verb: "L IH1 V", other: "L AY1 V" },
  object: { verb: "AH0 B JH EH1 K T", other: "AA1 B JH EH0 K T" },
  permit: { verb: "P ER0 M IH1 T", other: "P ER1 M IH2 T" },
  present: { verb: "P R IH0 Z EH1 N T", other: "P R EH1 Z AH0 N T" },
  produce: { verb: "P R AH0 D UW1 S", other: "P R OW1 D UW0 S" },
  progress: { verb: "P R AH0 G R EH1 S", other: "P R AA1 G R EH2 S" },
  project: { verb: "P R AH0 JH EH1 K T", other: "P R AA1 JH EH0 K T" },
  read: { verb: "R IY1 D", other: "R EH1 D" },
  record: { verb: "R AH0 K AO1 R D", other: "R EH1 K ER0 D" },
  refund: { verb: "R IH0 F AH1 N D", other: "R IY1 F AH2 N D" },
  separate: { verb: "S EH1 P ER0 EY2 T", other: "S EH1 P R AH0 T" },
  tear: { verb: "T EH1 R", other: "T IH1 R" },
  use: { verb: "Y UW1 Z", other: "Y UW1 S" },
  wind: { verb: "W AY1 N D", other: "W IH1 N D" },
};

const BEFORE_VERBS = new Set(
  (
    "to i you we they who will would can could shall should may might must do does did don't doesn't didn't " +
    "can't cannot couldn't won't wouldn't shouldn't please let's not i'll you'll we'll they'll he'll she'll " +
    "it'll i'd you'd we'd they'd also always usually never just"
  ).split(" "),
);

/** The pronunciation that fits the previous word; `undefined` for a word with only one. */
export function pronounceHeteronym(
  word: string,
  previous: string | undefined,
): readonly string[] | undefined {
  if (!Object.hasOwn(VERB_OR_OTHER, word)) {
    return undefined;
  }
  const forms = VERB_OR_OTHER[word];
  const isVerb = previous === undefined ? false : BEFORE_VERBS.has(previous);
  // "close at five" and "read it back" begin a clause as instructions; "record" and "content" do not.
  const phones =
    isVerb || (previous === undefined && (word === "read" || word === "use")) ? forms?.verb : forms?.other;
  return phones?.split(" ");
}
