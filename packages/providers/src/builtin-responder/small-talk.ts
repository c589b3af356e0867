/** Intent of the caller. `text` is the input without courtesies. */
export type Intent =
  | { type: "question"; text: string }
  | { type: "unclear" | "greeting" | "howAreYou" | "thanks" | "goodbye" | "yes" | "no" }
  | { type: "repeat" | "identity" | "isRobot" | "abilities" | "canYouHear" };

const FAREWELL_PATTERN =
  /\b(good ?bye?|bye( bye)?|see you( later| soon| then)?|talk to you later|have a (nice|good|great|lovely) (day|one|evening|weekend|night)|hang up)\b/;
const FINISHED_PATTERN =
  /^(no )?(thank you |thanks )?(that's|that is|that was|that will be|that'll be) (all|it|everything)( i (need|needed|wanted))?( for (now|today))?( thank you| thanks)?( very much| so much)?$|^(no )?(nothing|not anything) (else|more)( thank you| thanks)?$|^no (thank you|thanks)( very much| so much)?$|^i'm (all set|done|good)( thank you| thanks)?$/;

/** Words before the actual request. */
const OPENING_PATTERN =
  /^(hi|hello|hey|hiya|good (morning|afternoon|evening|day)|yes|yeah|yep|no|okay|ok|right|alright|all right|great|perfect|lovely|fine|cool|good|excellent|sure|well|so|um+|uh+|er+|ah|oh|thanks( a lot| very much| so much)?|thank you( very much| so much)?|sorry|excuse me|please|there|i see|got it|awesome|wonderful)\b\s*/;

const SMALL_TALK: readonly [Exclude<Intent["type"], "question">, RegExp][] = [
  [
    "repeat",
    /^(can|could|would|will)? ?(you )?(please )?(repeat|say)( that| it| this| what you said)?( one more time| once more| again| please)*$|^(what|sorry|pardon|come) ?(was that|did you say|me|again)?( please)?$|^i (didn't|did not|couldn't|could not) (catch|hear|understand|get) (that|you|it)\b|^what did you( just)? say$|^one more time( please)?$/,
  ],
  [
    "isRobot",
    /\b(are you|is this|am i (talking|speaking) (to|with)) (a |an )?(real |actual |live )?(robot|bot|machine|computer|human|person|ai|a\.?i\.?|artificial intelligence|recording|someone real)\b/,
  ],
  [
    "identity",
    /^(and )?(who|what) (are|is) (you|this|your name|there)( please| again)?$|^(who|whom) am i (talking|speaking) (to|with)$|^what's your name$|^(can|may|could) i (ask|have|get) your name$|^which (company|place|business) is this$|^what (company|place|business) is this$/,
  ],
  [
    "abilities",
    /^(what|how) (can|could|do) you (do|help)( me)?( with| for me)?$|^what (do you|can you) (know|tell me)( about)?$|^(can|could) you help( me)?$|^i (have|had|got) a (few )?questions?$|^i need (some )?help$/,
  ],
  ["canYouHear", /^(can|do) you hear me( now)?$|^are you (still )?there$|^(is )?anyone there$/],
  ["howAreYou", /^how are you( doing)?( today)?$|^how do you do$|^how is it going$/],
];

/** Reads the caller's intent from text written by a person or a speech recognizer. */
export function readIntent(input: string): Intent {
  const whole = normalize(input);
  if (!/[a-z0-9]/.test(whole)) return { type: "unclear" };
  if (FINISHED_PATTERN.test(whole)) return { type: "goodbye" };
  let rest = whole;
  let isGreeting = false;
  let isThanks = false;
  let isYes = false;
  let isNo = false;
  for (let match = OPENING_PATTERN.exec(rest); match !== null; match = OPENING_PATTERN.exec(rest)) {
    const word = match[1] ?? "";
    // An opening is removed only from the start: "What is the right size" keeps its words.
    if (/^(hi|hello|hey|hiya|good (m|a|e|d))/.test(word)) isGreeting = true;
    if (word.startsWith("thank")) isThanks = true;
    if (/^(yes|yeah|yep|sure|please)/.test(word)) isYes = true;
    if (word === "no") isNo = true;
    const next = rest.slice(match[0].length);
    if (word === "sorry" && next === "") return { type: "repeat" };
    rest = next;
  }
  if (FAREWELL_PATTERN.test(whole) && rest.replace(FAREWELL_PATTERN, "").trim().split(" ").length <= 3)
    return { type: "goodbye" };
  if (FINISHED_PATTERN.test(rest)) return { type: "goodbye" };
  for (const [type, pattern] of SMALL_TALK) if (pattern.test(rest) || pattern.test(whole)) return { type };
  if (rest !== "" && rest !== "and") return { type: "question", text: keepSpelling(input, rest) };
  if (isThanks) return { type: "thanks" };
  if (isGreeting) return { type: "greeting" };
  if (isNo) return { type: "no" };
  return { type: isYes || whole !== "" ? "yes" : "unclear" };
}

/** The question in the caller's own spelling, which embeds better, if it is the whole input. */
function keepSpelling(input: string, rest: string): string {
  return normalize(input) === rest ? input.trim() : rest;
}

function normalize(text: string): string {
  return text
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[^\p{L}\p{N}'£$€%]+/gu, " ")
    .trim();
}

/**
 * Whether a question refers to the one before it: "And on Sunday?", "what about children", "and is it free?". One with
 * a verb and no pronoun ("and how much is a checkup?") is independent.
 */
export function isFollowUp(question: string): boolean {
  const text = normalize(question);
  const words = text.split(" ").length;
  const hasVerb =
    /\b(is|are|do|does|can|could|have|has|will|would|open|close|cost|costs|need|want|like)\b/.test(text);
  const hasPronoun = /\b(it|that|they|them|this|those|one)\b/.test(text);
  if (/^(and|or|but|also|what about|how about)\b/.test(text)) return words <= 8 && (!hasVerb || hasPronoun);
  return !hasVerb && words <= 4;
}
