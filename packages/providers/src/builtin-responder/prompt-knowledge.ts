/** A statement of the prompt that callers may hear. */
export interface PromptFact {
  /** The spoken form: one sentence without markup. */
  spoken: string;
  /** Texts that a question is compared with: the fact under its heading, the question it answers. */
  about: string[];
}

export interface PromptKnowledge {
  /** The agent's identity in the first person: "I am Robin, the receptionist of …". */
  identity: string | undefined;
  facts: PromptFact[];
  /** Headings with facts below them, in order. */
  topics: string[];
}

/** Sentences for the agent, not for callers: "Never give medical advice." */
const INSTRUCTION_PATTERN = new RegExp(
  [
    /^(please |always |never |only )*(act|adapt|answer|apologi[sz]e|ask|assist|assume|avoid|be|begin|collect|confirm|decline|do not|don't|ensure|explain|finish|follow|gather|give|greet|guide|handle|help|if (asked|unsure|possible|they ask|someone asks|you (do not|don't|cannot|can't) (know|understand|answer|help|find)|you are (asked|not sure|unsure))|introduce|keep|let|limit|listen|maintain|make (sure|it)|mention|never|offer|politely|provide|read|refer|refrain|remain|remember|repeat|reply|respond|say|sound|speak|start|stay|stick|suggest|take|talk|tell|thank|transfer|treat|try|use|verify|wait|when asked|write)\b/,
    /^(always|never|only|under no circumstances)\b/,
    /^you (always|answer|are|do not|don't|have to|help|may|must|need|never|only|should|speak|talk|will|work|can (access|answer|assist|check|end|hang|help|look|refer|schedule|search|speak|transfer|use))/,
    /^your (aim|duty|goal|job|main|mission|objective|persona|personality|primary|purpose|replies|responses|role|style|task|tone)\b/,
    /^(if|when|whenever|once|unless|in case|should)\b.*\b(the|a|any) (callers?|user|customer|person|conversation|call|question)\b/,
    /^(if|when|whenever|once|unless)\b[^,]*, (always |never |please |politely )*(answer|apologi[sz]e|ask|confirm|do not|don't|end|give|hang|offer|say|suggest|tell|thank|transfer|use|you)\b/,
    /^end the (call|conversation)\b/,
  ]
    .map((each) => `(?:${each.source})`)
    .join("|"),
  "i",
);

const INSTRUCTION_HEADING =
  /\b(behaviou?r|guard ?rails?|guidelines?|instructions?|persona|personality|role|rules|style|tone|task|goals?|steps|constraints|script|flow|objective|identity|response)\b/i;

/** Headings that add nothing to the text below them. */
const EMPTY_HEADING =
  /^(general |other |more |useful |background |key |business |company )*(information|info|facts?|details|knowledge( base)?|context|background|about( us)?|faqs?|frequently asked questions|questions and answers|general|other|miscellaneous)$/i;

const IDENTITY_PATTERN =
  /^(you are|you're|your name is)\s+(?!(to|not|never|always|only|polite|friendly|brief)\b)/i;

/** Separates an agent's prompt into facts for callers and instructions for the agent. */
export function readPrompt(prompt: string): PromptKnowledge {
  const knowledge: PromptKnowledge = { identity: undefined, facts: [], topics: [] };
  let heading = "";
  let question: string | undefined;
  for (const line of prompt.split(/\r?\n/)) {
    const text = plainText(line);
    if (text === "") continue;
    const headingHere = readHeading(line, text);
    const questionHere = /^(?:q|question)\s*\d*\s*[:.)]\s*(.+)$/i.exec(text)?.[1];
    const answer = /^(?:a|answer)\s*\d*\s*[:.)]\s*(.+)$/i.exec(text)?.[1];
    if (headingHere !== undefined) {
      heading = EMPTY_HEADING.test(headingHere) ? "" : headingHere;
    } else if (questionHere !== undefined || (question === undefined && text.endsWith("?"))) {
      question = questionHere ?? text;
    } else if (!INSTRUCTION_HEADING.test(heading) || IDENTITY_PATTERN.test(text)) {
      addSentences(knowledge, answer ?? text, heading, question);
      question = undefined;
    }
  }
  return knowledge;
}

function addSentences(
  knowledge: PromptKnowledge,
  text: string,
  heading: string,
  question: string | undefined,
): void {
  const sentences = question === undefined ? splitSentences(text) : [text];
  for (const sentence of sentences) {
    if (IDENTITY_PATTERN.test(sentence)) {
      knowledge.identity ??= firstPerson(sentence);
      continue;
    }
    const spoken = fromUs(sentence);
    if (question === undefined && INSTRUCTION_PATTERN.test(spoken)) continue;
    if (wordsIn(spoken) < 2) continue;
    const isUnderHeading = heading !== "" && question === undefined;
    knowledge.facts.push({
      spoken: endSentence(isUnderHeading && !isSentence(spoken) ? `${heading}: ${spoken}` : spoken),
      about: [
        isUnderHeading ? `${heading}: ${spoken}` : spoken,
        ...(question === undefined ? [] : [question]),
      ],
    });
    if (isUnderHeading && !knowledge.topics.includes(heading)) knowledge.topics.push(heading);
  }
}

/** Removes list marks and Markdown. */
function plainText(line: string): string {
  return line
    .replace(/^\s*(?:[-*•–]|\d+[.)])\s+/, "")
    .replace(/^\s*#+\s*/, "")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]|__/g, "")
    .trim();
}

/** The text of a heading line: `# Prices`, `**Prices**`, `Prices:`; `undefined` for other lines. */
function readHeading(line: string, text: string): string | undefined {
  const isMarked = /^\s*#/.test(line) || /^\s*\*\*[^*]+\*\*:?\s*$/.test(line);
  const isShortLabel = /^[^.!?:]+:$/.test(text) && wordsIn(text) <= 6;
  return isMarked || isShortLabel ? text.replace(/:$/, "") : undefined;
}

/** Splits at white space before a capital, but not after abbreviations and times such as "9 a.m. to". */
function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])(?<!\b(?:[ap]\.m|Mr|Mrs|Ms|Dr|St|No|e\.g|i\.e)\.)\s+(?=["'(]?[A-Z0-9£$€])/)
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** Whether a text is a sentence. List items such as "Monday: closed" need their heading to be understood. */
function isSentence(text: string): boolean {
  if (/[.!?]$/.test(text) && wordsIn(text) >= 4) return true;
  return /\b(is|are|am|was|were|has|have|can|cost|costs|do|does|will|may|must|open|opens|close|closes|offer|offers|include|includes|takes?|needs?|accept|accepts|deliver|delivers|starts?|ends?|call)\b/i.test(
    text,
  );
}

/** Turns the second person into the first: "You offer …" becomes "We offer …". */
function fromUs(sentence: string): string {
  return sentence
    .replace(
      /^You (?=(accept|close|deliver|have(?! to)|offer|open|provide|sell|serve|stock|charge)\b(?! (to|help|assist)))/,
      "We ",
    )
    .replace(
      /^Your (?=(address|business|company|hours|location|office|opening|phone|prices|shop|store|website)\b)/,
      "Our ",
    );
}

function firstPerson(sentence: string): string {
  return endSentence(
    sentence
      .replace(/^(you are|you're)\b/i, "I am")
      .replace(/^your name is\b/i, "My name is")
      .replaceAll(/\band your name is\b/gi, "and my name is")
      .replaceAll(/\byou\b/gi, "I")
      .replaceAll(/\byour\b/gi, "my"),
  );
}

function endSentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital.replace(/[,;:]$/, "")}.`;
}

function wordsIn(text: string): number {
  return text.split(/\s+/).length;
}
