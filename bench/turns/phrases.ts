/** Texts of the situations, each spoken by the voices named with it. */

export interface Script {
  id: string;
  /** Texts between two pauses, in order; one part if the speaker does not pause. */
  parts: readonly string[];
  /**
   * Delays were tuned on the training set; the figures of the held-out set are the valid ones. No sentence and no voice
   * is in both.
   */
  set: "training" | "held-out";
  /**
   * Voices that speak the script. In one breath, only the place of a pause shows that more will follow, not the
   * intonation.
   */
  takes: readonly { voice: string; isInOneBreath: boolean }[];
}

/** Names of Kokoro's voices. */
const agentVoice = "af_heart";
const voices = {
  training: ["af_bella", "am_michael", "bf_emma", "bm_george", "af_kore", "am_fenrir"],
  "held-out": ["af_sarah", "am_puck", "bf_isabella", "am_eric", "af_nova", "bm_lewis"],
} as const;

const TAKES_EACH = 2;

function spoken(prefix: string, lines: readonly (readonly string[])[]): Script[] {
  return lines.map((parts, index) => {
    const set = index % 2 === 0 ? "training" : "held-out";
    const takes = Array.from({ length: TAKES_EACH }, (_, take) => ({
      voice: voices[set][((index >> 1) + take * 3) % voices[set].length] ?? agentVoice,
      isInOneBreath: take % 2 === 1,
    }));
    return { id: `${prefix}-${index + 1}`, parts, set, takes };
  });
}

/** Text of a take: in one breath, the parts have no punctuation between them. */
export function textOf(parts: readonly string[], isInOneBreath: boolean): string {
  const inner = parts.slice(0, -1).map((part) => (isInOneBreath ? part.replace(/,$/, "") : part));
  return [...inner, ...parts.slice(-1)].join(" ");
}

const whole = [
  ["What time do you open on Saturday?"],
  ["I would like to book a table for two."],
  ["Can I park behind the building?"],
  ["My train leaves at half past seven."],
  ["Please send me the bill by email."],
  ["How much does a checkup cost?"],
  ["I need to change my appointment."],
  ["The heating in my room does not work."],
  ["Do you have anything on Tuesday afternoon?"],
  ["I have lost my membership card."],
  ["Tell me more about the insurance."],
  ["That sounds very good, thank you."],
  ["Is there a lift in the hotel?"],
  ["I am looking for a present for my mother."],
  ["Could you call me back tomorrow morning?"],
  ["The parcel never arrived."],
  ["We would need the car for three days."],
  ["Where exactly are you?"],
  ["My daughter has a temperature since yesterday."],
  ["I would rather come in the afternoon."],
];

/** The caller pauses at a place that clearly needs a continuation. */
const unfinished = [
  ["I would like to book a table for,", "four people on Friday evening."],
  ["My appointment is on Monday and,", "I need to move it to the week after."],
  ["I am calling because,", "my parcel has not arrived."],
  ["Um,", "can I speak to somebody about my contract?"],
  ["Could you please send the,", "invoice to my new address?"],
  ["I was there last week with,", "my sister and her two children."],
  ["We want to arrive on the fifth or,", "perhaps on the sixth of June."],
  ["The problem is that,", "the door does not close any more."],
  ["I think I need a,", "larger room with a bath."],
  ["My name is,", "Robert Miller."],
  ["I wanted to ask if,", "dogs are allowed in the garden."],
  ["So, uh,", "what would it cost to,", "cancel the whole trip?"],
  ["The last time I called,", "they told me to wait."],
  ["I need it by,", "the end of the month."],
  ["It is about the,", "washing machine that I bought from you."],
  ["My sister will pick it up but,", "she has no card."],
];

/** The caller pauses at a place that could end the sentence. */
const open = [
  ["I would like to book a table", "for next Sunday at noon."],
  ["I have a question about my bill", "from the month of May."],
  ["The car is white", "with a black roof."],
  ["We will come by train", "early in the morning."],
  ["I need a room for two nights", "with a view of the sea."],
  ["Please call my husband", "on his office number."],
  ["It happened yesterday", "in front of the station."],
  ["I bought the washing machine here", "about three months ago."],
  ["I would like to speak to somebody", "about my last invoice."],
  ["We are four people", "and a small dog."],
  ["My flight arrives at ten", "in the evening."],
  ["I moved to another flat", "on the first of May."],
];

/** Numbers, spoken in groups. */
const numbers = [
  ["zero two zero,", "seven nine four six,", "zero nine five eight."],
  ["five five five,", "two three six,", "seven eight nine one."],
  ["It is four one seven,", "eight eight two,", "three nine."],
  ["two two one,", "nine six zero four."],
  ["My number is,", "six oh three,", "five five four,", "one two seven eight."],
  ["nine nine,", "three four,", "seven one,", "eight two."],
  ["one four,", "double seven,", "five oh nine."],
  ["eight three one two,", "four four six five,", "nine zero one seven,", "two two six eight."],
  ["six one nine,", "five five two,", "zero four one eight."],
  ["It is three three,", "zero six,", "nine one."],
];

/** Answers to the agent's question. */
const answers = [
  ["Yes."],
  ["No."],
  ["Yes, please."],
  ["Tuesday."],
  ["Two."],
  ["No, thank you."],
  ["Sure."],
  ["At nine."],
  ["Of course."],
  ["Not really."],
];

const interruptions = [
  ["Wait, stop."],
  ["Sorry, I have a question."],
  ["No, that is not what I meant."],
  ["Can I speak to a person?"],
  ["Hold on a second."],
  ["Excuse me, how much is it?"],
  ["I already know that, thanks."],
  ["What about Sunday?"],
  ["Stop."],
  ["Please repeat that."],
];

const backchannels = [["Uh-huh."], ["Okay."], ["Mm-hmm."], ["Yeah."], ["Right."], ["I see."]];

/** Agent speech that callers interrupt. */
export const agentSpeeches = [
  "We are open from Monday to Friday between nine in the morning and six in the evening, and on Saturday until one. There is free parking behind the building, and the bus stops right in front of the door.",
  "Your order left our warehouse on Thursday and should reach you within three working days. The driver will send you a message an hour before he arrives, so that you know when to be at home.",
];

/** Agent questions that a word or a number answers. */
export const agentQuestions = ["Would you like to book it?", "On which day would you like to come?"];
export const agentNumberQuestion = "Could you tell me your phone number?";

const agentScripts: Script[] = [...agentSpeeches, ...agentQuestions, agentNumberQuestion].map(
  (text, index) => ({
    id: `agent-${index + 1}`,
    parts: [text],
    set: "training",
    takes: [{ voice: agentVoice, isInOneBreath: false }],
  }),
);

export const scripts: readonly Script[] = [
  ...spoken("whole", whole),
  ...spoken("unfinished", unfinished),
  ...spoken("open", open),
  ...spoken("number", numbers),
  ...spoken("answer", answers),
  ...spoken("interruption", interruptions),
  ...spoken("backchannel", backchannels),
  ...agentScripts,
];
