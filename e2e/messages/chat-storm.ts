/** Web chats at once on two nodes, one of which is killed while it writes replies. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { WidgetMessage } from "@parley/contract";
import {
  type ScriptedChatReply,
  type ScriptedChatRequest,
  startScriptedOpenAi,
} from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { Cluster } from "../support/platform/cluster.ts";
import { ChatVisitor } from "./chat-visitor.ts";

/** Words after the marks, so that a reply takes a second. */
const WORDS = "one two three four five six seven eight";

export interface ChatStormResult {
  visitors: number;
  messages: number;
  replies: number;
  /** Streams that went on at the other node. */
  resumedStreams: number;
}

/** Has visitors write three messages each, kills the node of half of them in the middle of a reply, and checks every guarantee. */
export async function runChatStorm(visitorCount: number, timeoutMs: number): Promise<ChatStormResult> {
  await using stack = new AsyncDisposableStack();
  const model = await startScriptedOpenAi({
    firstTokenDelayMs: 50,
    betweenChunksMs: 100,
    reply: repeatMarks,
  });
  stack.defer(async () => await model.close());
  const cluster = await Cluster.start(2, {
    PARLEY_LLM_BASE_URL: `${model.url}/v1`,
    PARLEY_TRUSTED_PROXIES: "127.0.0.1",
  });
  stack.defer(async () => await cluster.stop());
  const [victim, survivor] = [cluster.node(0), cluster.node(1)];
  const { widgetKey } = await survivor.api.createAgent({ name: "Ada", widgetConfig: { enabled: true } });
  const visitors = Array.from({ length: visitorCount }, (_, index) => {
    const nodes = index % 2 === 0 ? [victim, survivor] : [survivor];
    return new ChatVisitor({ nodes, widgetKey, index });
  });
  stack.defer(() => {
    for (const visitor of visitors) visitor.close();
  });
  const toAll = async (act: (visitor: ChatVisitor) => Promise<unknown>): Promise<void> =>
    void (await Promise.all(visitors.map(act)));
  await toAll(async (visitor) => await visitor.start());
  await toAll(async (visitor) => await visitor.send(0));
  await waitFor("the first replies", () => visitors.every(({ replies }) => replies.length === 1), timeoutMs);
  await toAll(async (visitor) => await visitor.send(1));
  const moved = visitors.filter((_, index) => index % 2 === 0);
  const isWriting = (): boolean => moved.every(({ unfinished, replies }) => unfinished || replies.length > 1);
  await waitFor("replies in the middle", isWriting, timeoutMs);
  victim.process.kill("SIGKILL");
  await toAll(async (visitor) => await visitor.send(2));
  const isSettled = async (visitor: ChatVisitor): Promise<boolean> =>
    new Set(marksOf(await visitor.read())).size === 3;
  for (const visitor of visitors)
    await waitFor("a reply to each message", async () => await isSettled(visitor), timeoutMs);
  // A second reply to the same messages would follow soon.
  await sleep(1_000);
  for (const visitor of visitors) await assertWhole(visitor, timeoutMs);
  const replies = visitors.flatMap((visitor) => visitor.replies);
  const resumedStreams = visitors.filter(({ connections }) => connections > 1).length;
  assert.equal(resumedStreams, moved.length);
  return { visitors: visitorCount, messages: 3 * visitorCount, replies: replies.length, resumedStreams };
}

/** Names the messages since the last reply by the marks in them. */
function repeatMarks({ messages }: ScriptedChatRequest): ScriptedChatReply {
  const unanswered = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const marks = unanswered.flatMap(({ role, content }) => (role === "user" ? marksIn(content) : []));
  return { text: `Heard: ${marks.join(" ")} ${WORDS}` };
}

const marksIn = (text: string): string[] => text.match(/#\d+-\d+/g) ?? [];

const marksOf = (messages: readonly WidgetMessage[]): string[] =>
  messages.filter(({ role }) => role === "agent").flatMap(({ text }) => marksIn(text));

/** Each message is stored once and covered by one reply, in order, and the stream has brought all of it once. */
async function assertWhole(visitor: ChatVisitor, timeoutMs: number): Promise<void> {
  const stored = await visitor.read();
  const written = stored.filter(({ role }) => role === "user").map(({ text }) => text);
  assert.deepEqual(
    written,
    [0, 1, 2].map((turn) => visitor.textOf(turn)),
  );
  const expected = written.flatMap((text) => marksIn(text));
  assert.deepEqual(marksOf(stored), expected, "each message has one reply, in order");
  const idsOf = (messages: readonly WidgetMessage[]): string[] => messages.map(({ id }) => id);
  const whole = "the whole chat on the stream";
  await waitFor(whole, () => visitor.messages.length >= stored.length, timeoutMs);
  // A message that was written during a reply arrives before it.
  const streamed = visitor.messages.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
  assert.deepEqual(idsOf(streamed), idsOf(stored), "the stream brings each message once");
  assert.equal(visitor.unfinished, false, "what was shown of a lost reply is discarded");
}
