/** What is said in the situations: every script is spoken by the voices named with it. */

export interface Script {
  id: string;
  /** What is said between two pauses, in order; one part where the speaker does not pause. */
  parts: readonly string[];
  /** Names of Kokoro's voices; synthesised once for each. */
  voices: readonly string[];
}

const agentVoice = "af_heart";
const women = ["af_bella", "af_sarah", "bf_emma", "af_nova"];
const men = ["am_michael", "am_puck", "bm_george", "am_eric"];
const everyone = [...women, ...men];

function spoken(prefix: string, lines: readonly (readonly string[])[], voicesEach: number): Script[] {
  return lines.map((parts, index) => ({
    id: `${prefix}-${index + 1}`,
    parts,
    voices: Array.from({ length: voicesEach }, (_, turn) => pickVoice(index + turn * 3)),
  }));
}

function pickVoice(index: number): string {
  return everyone[index % everyone.length] ?? agentVoice;
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
];

/** The caller stops to think where anybody can hear that more will come. */
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
];

/** The caller stops where the sentence could have ended. */
const open = [
  ["I would like to book a table", "for next Sunday at noon."],
  ["I have a question about my bill", "from the month of May."],
  ["The car is white", "with a black roof."],
  ["We will come by train", "early in the morning."],
  ["I need a room for two nights", "with a view of the sea."],
  ["Please call my husband", "on his office number."],
  ["It happened yesterday", "in front of the station."],
  ["I bought the washing machine here", "about three months ago."],
];

/** Numbers, said as people say them: in groups. */
const numbers = [
  ["zero two zero,", "seven nine four six,", "zero nine five eight."],
  ["five five five,", "two three six,", "seven eight nine one."],
  ["It is four one seven,", "eight eight two,", "three nine."],
  ["two two one,", "nine six zero four."],
  ["My number is,", "six oh three,", "five five four,", "one two seven eight."],
  ["nine nine,", "three four,", "seven one,", "eight two."],
  ["one four,", "double seven,", "five oh nine."],
  ["eight three one two,", "four four six five,", "nine zero one seven,", "two two six eight."],
];

/** Answers to a question of the agent. */
const answers = [
  ["Yes."],
  ["No."],
  ["Yes, please."],
  ["Tuesday."],
  ["Two."],
  ["No, thank you."],
  ["Sure."],
  ["At nine."],
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

/** The agent's own speech, in which callers interrupt. */
export const agentSpeeches = [
  "We are open from Monday to Friday between nine in the morning and six in the evening, and on Saturday until one. There is free parking behind the building, and the bus stops right in front of the door.",
  "Your order left our warehouse on Thursday and should reach you within three working days. The driver will send you a message an hour before he arrives, so that you know when to be at home.",
];

/** Questions of the agent that a word or a number answers. */
export const agentQuestions = ["Would you like to book it?", "On which day would you like to come?"];
export const agentNumberQuestion = "Could you tell me your phone number?";

const agentScripts: Script[] = [...agentSpeeches, ...agentQuestions, agentNumberQuestion].map(
  (text, index) => ({
    id: `agent-${index + 1}`,
    parts: [text],
    voices: [agentVoice],
  }),
);

export const scripts: readonly Script[] = [
  ...spoken("whole", whole, 2),
  ...spoken("unfinished", unfinished, 2),
  ...spoken("open", open, 2),
  ...spoken("number", numbers, 2),
  ...spoken("answer", answers, 2),
  ...spoken("interruption", interruptions, 2),
  ...spoken("backchannel", backchannels, 3),
  ...agentScripts,
];
