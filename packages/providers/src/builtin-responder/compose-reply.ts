import { ANSWER_THRESHOLD, contentWords, type Match } from "./fact-index.ts";
import type { PromptKnowledge } from "./prompt-knowledge.ts";
import { isFollowUp, readIntent, type Intent } from "./small-talk.ts";

export interface Exchange {
  /** The caller's last words; `undefined` if it is not the caller's turn that is to be answered. */
  input: string | undefined;
  /** Oldest first. */
  earlierInputs: readonly string[];
  lastReply: string | undefined;
}

export interface Reply {
  text: string;
  endsCall: boolean;
}

export interface ReplyContext {
  knowledge: PromptKnowledge;
  exchange: Exchange;
  /** Ranks facts by how well they answer a text, best first. */
  rank: (text: string, words: readonly string[]) => Promise<Match[]>;
}

/** Maximum words of a reply, so that it can be followed by ear. */
const MAX_WORDS = 35;
/** Score difference up to which a second fact is part of the answer ("when are you open"). */
const COMPANION_MARGIN = 0.06;

const OFFER_HELP = "Is there anything else I can help you with?";
const DOES_NOT_KNOW = `I am sorry, I do not know that. ${OFFER_HELP}`;

const GOODBYE: Reply = { text: "Thank you for calling. Goodbye!", endsCall: true };

/** Replies to everything except questions. */
const courtesies: Record<Exclude<Intent["type"], "question">, (context: ReplyContext) => Reply> = {
  unclear: () => say("Sorry, I did not catch that. Could you say it again?"),
  greeting: () => say("Hello! How can I help you?"),
  howAreYou: () => say("I am fine, thank you. How can I help you?"),
  thanks: () => say(`You are welcome. ${OFFER_HELP}`),
  goodbye: () => GOODBYE,
  yes: () => say("What would you like to know?"),
  no: ({ exchange }) =>
    exchange.lastReply?.endsWith(OFFER_HELP) === true ? GOODBYE : say(`All right. ${OFFER_HELP}`),
  repeat: ({ exchange }) => say(exchange.lastReply ?? "How can I help you?"),
  identity: ({ knowledge }) => say(knowledge.identity ?? "I am an automated assistant."),
  isRobot: () => say("I am an automated assistant. How can I help you?"),
  abilities: ({ knowledge }) => say(describeTopics(knowledge)),
  canYouHear: () => say("Yes, I can hear you. How can I help you?"),
};

/** Composes the reply. Everything except courtesies comes from the prompt, word for word. */
export async function composeReply(context: ReplyContext): Promise<Reply> {
  const { knowledge, exchange } = context;
  if (exchange.input === undefined) {
    const introduction = knowledge.identity === undefined ? "" : `${knowledge.identity} `;
    return say(exchange.lastReply === undefined ? `Hello. ${introduction}How can I help you?` : "");
  }
  const intent = readIntent(exchange.input);
  return intent.type === "question"
    ? say(await answer(context, intent.text))
    : courtesies[intent.type](context);
}

function say(text: string): Reply {
  return { text, endsCall: false };
}

async function answer({ exchange, rank }: ReplyContext, question: string): Promise<string> {
  const previous = isFollowUp(question) ? lastQuestion(exchange.earlierInputs) : undefined;
  const full = previous === undefined ? question : `${previous} ${question}`;
  const matches = await rank(full, contentWords(question));
  const [best, second] = matches;
  if (best === undefined || best.score < ANSWER_THRESHOLD) return DOES_NOT_KNOW;
  const first = limitWords(best.fact.spoken);
  const isCompanion =
    second !== undefined && second.score >= Math.max(ANSWER_THRESHOLD, best.score - COMPANION_MARGIN);
  const both = isCompanion ? `${first} ${second.fact.spoken}` : first;
  return wordsIn(both) <= MAX_WORDS ? both : first;
}

/** The last question that is complete in itself. */
function lastQuestion(earlierInputs: readonly string[]): string | undefined {
  for (const input of earlierInputs.toReversed()) {
    const intent = readIntent(input);
    if (intent.type === "question" && !isFollowUp(intent.text)) return intent.text;
  }
  return undefined;
}

/** Cuts a long sentence at the last comma or semicolon that fits. */
function limitWords(sentence: string): string {
  if (wordsIn(sentence) <= MAX_WORDS) return sentence;
  const kept = sentence.split(/\s+/).slice(0, MAX_WORDS).join(" ");
  const cut = Math.max(kept.lastIndexOf(","), kept.lastIndexOf(";"));
  return `${(cut > 0 ? kept.slice(0, cut) : kept).replace(/[,;:.]$/, "")}.`;
}

function describeTopics({ topics }: PromptKnowledge): string {
  if (topics.length === 0) return "Please ask me what you would like to know.";
  const names = topics.slice(0, 5).map((topic) => topic.toLowerCase());
  const last = names.pop() ?? "";
  const list = names.length === 0 ? last : `${names.join(", ")} and ${last}`;
  return `I can answer questions about ${list}. What would you like to know?`;
}

function wordsIn(text: string): number {
  return text.split(/\s+/).length;
}
