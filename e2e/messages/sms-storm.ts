/** Many inbound messages at once on two nodes, one of which is killed in the middle. */
import assert from "node:assert/strict";
import {
  SCRIPTED_ACCOUNT,
  type ScriptedChatReply,
  type ScriptedChatRequest,
  ScriptedTwilio,
  startScriptedOpenAi,
} from "@parley/providers/testing";
import type { Message } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { Cluster } from "../support/platform/cluster.ts";
import type { Platform } from "../support/platform/platform.ts";

const PUBLIC_URL = "http://parley.example";
const OWN_NUMBER = "+14155550100";
const PAGE_SIZE = 100;

export interface StormOptions {
  messages: number;
  numbers: number;
  /** Patience for the last reply, not a verdict. */
  timeoutMs: number;
}

export interface StormResult {
  messages: number;
  replies: number;
  /** Messages that the provider has accepted. */
  sent: number;
  /** Replies whose request was lost with the killed node, and which were not sent again. */
  failed: number;
}

/** Two nodes, an agent with a number, and the servers that they use. */
interface Scene {
  twilio: ScriptedTwilio;
  victim: Platform;
  survivor: Platform;
  agentId: string;
  /** URL for inbound messages. */
  hook: string;
}

/** Sends the messages, kills a node once half of them have arrived, and checks every guarantee. */
export async function runStorm({ messages, numbers, timeoutMs }: StormOptions): Promise<StormResult> {
  await using stack = new AsyncDisposableStack();
  const scene = await startScene(stack);
  const { twilio, victim } = scene;
  const half = Math.floor(messages / 2);
  await deliver(scene, numbers, { first: 0, end: half });
  // Some replies are being written or sent.
  await waitFor("the first reply", () => twilio.messages.length > 0, timeoutMs);
  victim.process.kill("SIGKILL");
  await deliver(scene, numbers, { first: half, end: messages });
  const isSettled = async (): Promise<boolean> => {
    const replies = await listAll(scene, "OUTBOUND");
    const isSent = replies.every(
      ({ providerMessageId, status }) => providerMessageId !== null || status === "failed",
    );
    return isSent && new Set(coverageOf(replies)).size === messages;
  };
  await waitFor("a reply to each message", isSettled, timeoutMs);
  const replies = await listAll(scene, "OUTBOUND");
  assert.equal((await listAll(scene, "INBOUND")).length, messages);
  const covered = coverageOf(replies);
  assert.deepEqual(
    [covered.length, new Set(covered).size],
    [messages, messages],
    "each message has one reply",
  );
  assertSent(twilio, numbers);
  const failed = replies.filter(({ status }) => status === "failed").length;
  return { messages, replies: replies.length, sent: twilio.messages.length, failed };
}

async function startScene(stack: AsyncDisposableStack): Promise<Scene> {
  const twilio = await ScriptedTwilio.start();
  stack.defer(async () => await twilio.close());
  const model = await startScriptedOpenAi({ firstTokenDelayMs: 100, reply: repeatMarks });
  stack.defer(async () => await model.close());
  const cluster = await Cluster.start(2, {
    PARLEY_TWILIO_BASE_URL: twilio.url,
    PARLEY_LLM_BASE_URL: `${model.url}/v1`,
    PARLEY_PUBLIC_URL: PUBLIC_URL,
  });
  stack.defer(async () => await cluster.stop());
  const [victim, survivor] = [cluster.node(0), cluster.node(1)];
  let requests = 0;
  // As a load balancer does it.
  twilio.locate = (url) => {
    const node = victim.process.killed || requests++ % 2 === 0 ? survivor : victim;
    return url.replace(PUBLIC_URL, node.url);
  };
  const account = { ...SCRIPTED_ACCOUNT, messagesPerSecond: 100 };
  const connection = await survivor.api.createMessagingConnection(account);
  const agent = await survivor.api.createAgent({
    name: "Ada",
    messagingConnectionId: connection.id,
    messagingConfig: { fromNumber: OWN_NUMBER },
  });
  const { inboundMessageUrl: hook } = connection.config;
  assert.ok(hook !== null);
  return { twilio, victim, survivor, agentId: agent.id, hook };
}

/** Names the messages since the last reply by the marks in them. */
function repeatMarks({ messages }: ScriptedChatRequest): ScriptedChatReply {
  const unanswered = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const marks = unanswered.flatMap(({ role, content }) => (role === "user" ? marksIn(content) : []));
  return { text: `Heard: ${marks.join(" ")}` };
}

function marksIn(text: string): string[] {
  return text.match(/#\d+-\d+/g) ?? [];
}

function coverageOf(replies: readonly Message[]): string[] {
  return replies.flatMap(({ body }) => marksIn(body));
}

function numberOf(index: number): string {
  return `+1415556${String(index).padStart(4, "0")}`;
}

/** Delivers messages of all numbers at once; the messages of a number follow each other. */
async function deliver(
  { twilio, hook }: Scene,
  numbers: number,
  { first, end }: { first: number; end: number },
): Promise<void> {
  const chains = Array.from({ length: numbers }, async (_, number) => {
    for (let index = first; index < end; index++) {
      if (index % numbers !== number) continue;
      const body = `#${number}-${Math.floor(index / numbers)}`;
      const { status } = await twilio.deliver(hook, { from: numberOf(number), to: OWN_NUMBER, body });
      assert.equal(status, 200);
    }
  });
  await Promise.all(chains);
}

async function listAll({ survivor, agentId }: Scene, direction: "INBOUND" | "OUTBOUND"): Promise<Message[]> {
  const found: Message[] = [];
  for (let page = 1; ; page++) {
    const filter = { direction, page, pageSize: PAGE_SIZE, sort: "asc", agentId } as const;
    const answer = await survivor.api.listMessages(filter);
    found.push(...answer.data);
    if (!answer.hasNextPage) return found;
  }
}

/** Each reply was sent at most once, and those to a number in order. */
function assertSent({ messages }: ScriptedTwilio, numbers: number): void {
  const sent = messages.map(({ body, to }) => `${to} ${body}`);
  assert.equal(new Set(sent).size, sent.length, "each reply is sent at most once");
  for (let number = 0; number < numbers; number++) {
    const own = messages.filter(({ to }) => to === numberOf(number));
    const turns = own.flatMap(({ body }) => marksIn(body).map((mark) => Number(mark.split("-").at(-1))));
    const sorted = turns.toSorted((one, other) => one - other);
    assert.deepEqual(turns, sorted, `the replies to ${numberOf(number)} are in order`);
  }
}
