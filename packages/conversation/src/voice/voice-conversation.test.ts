import assert from "node:assert/strict";
import { test } from "node:test";
import { CallDriver } from "../testing/call-driver.ts";
import { turnStep } from "./turn-policy.ts";
import { initialTurnState } from "./turn-state.ts";

const LONG_ANSWER =
  "We have many rooms, all of them with a bath. Some of them look at the sea, others at the park.";

/** A call in which the agent is answering at length. */
async function callWithLongAnswer(
  agent: ConstructorParameters<typeof CallDriver>[0] = {},
): Promise<CallDriver> {
  const call = new CallDriver({ replies: [LONG_ANSWER, "Very well."], ...agent });
  call.start();
  await call.say("tell me about the rooms", 1000);
  await call.waitUntil(() => call.isSpeaking);
  return call;
}

test("the agent greets, answers a question and says nothing more", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley. How can I help?" },
    replies: ["We are open from nine to five. Anything else?"],
  });
  call.start();
  await call.letAgentFinish();
  await call.stayQuiet(400);
  await call.say("when are you open", 1200);
  await call.letAgentFinish();
  await call.stayQuiet(1000);
  assert.deepEqual(call.transcript, [
    "agent: Hello, this is Parley. How can I help?",
    "user: when are you open",
    "agent: We are open from nine to five. Anything else?",
  ]);
  assert.equal(call.isSpeaking, false);
});

test("a greeting prepared before the call is answered begins with the first tick", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello, this is Parley." } });
  const prepared = call.conversation.prepare(new AbortController().signal);
  await call.clock.advance(2_000);
  await prepared;
  call.start();
  await call.stayQuiet(20);
  assert.notEqual(call.frames[0], undefined);
});

test("a greeting is prepared once a second of it is there: the rest comes while that plays", async () => {
  const greeting =
    "Hello, this is Parley, the receptionist of the town library. What can I do for you this morning?";
  const call = new CallDriver({ agent: { firstMessage: greeting } });
  let isPrepared = false;
  const prepared = call.conversation.prepare(new AbortController().signal).then(() => (isPrepared = true));
  await call.clock.advance(100);
  assert.equal(isPrepared, false);
  await call.clock.advance(2_000);
  await prepared;
});

test("a greeting that could not be prepared is made when the call starts", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello, this is Parley." } });
  call.tts.behaviours.push("failForGood");
  const prepared = call.conversation.prepare(new AbortController().signal);
  await call.clock.advance(100);
  await prepared;
  call.start();
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["agent: Hello, this is Parley."]);
  assert.equal(call.events.filter((event) => event.type === "fault").length, 1);
});

test("preparing takes no longer than its owner's signal allows", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello, this is Parley." } });
  call.tts.behaviours.push("stall");
  const controller = new AbortController();
  const prepared = call.conversation.prepare(controller.signal);
  controller.abort();
  await prepared;
  call.start();
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["agent: Hello, this is Parley."]);
});

test("the greeting waits for its delay", async () => {
  const call = new CallDriver({ agent: { firstMessage: "Hello.", firstMessageDelayMs: 1500 } });
  call.start();
  await call.stayQuiet(1480);
  assert.equal(call.tts.streams.length, 0);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["agent: Hello."]);
});

test("a caller who speaks before the delayed greeting still hears it, and is remembered", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, you are recorded.", firstMessageDelayMs: 800 },
  });
  call.start();
  await call.stayQuiet(200);
  await call.say("hello?", 700);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: hello?", "agent: Hello, you are recorded."]);
  assert.deepEqual(
    call.dialogue.history.map((entry) => entry.text),
    ["hello?", "Hello, you are recorded."],
  );
});

test("the agent waits when the user is to speak first", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley.", startSpeaker: "user" },
    replies: ["Hello there."],
  });
  call.start();
  await call.stayQuiet(3000);
  assert.equal(call.tts.streams.length, 0);
  await call.say("hi", 500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: hi", "agent: Hello there."]);
});

test("the time of a turn is accounted for part by part", async () => {
  const call = new CallDriver({
    // Less than the text takes: the reply is asked for when the turn is over, not before.
    endpointing: 60,
    replies: [
      [
        { type: "delay", delayMs: 300 },
        { type: "text", text: "We are open, " },
        { type: "delay", delayMs: 50 },
        { type: "text", text: "as you like." },
      ],
    ],
  });
  call.start();
  await call.say("are you open", 1000);
  await call.letAgentFinish();
  const latency = call.events.find((event) => event.type === "turn")?.latency;
  assert.equal(latency?.endpointingMs, 60);
  // The media clock goes in ticks, but the decision and the request that it made are one moment.
  assert.equal(latency.llmFirstTokenMs, 300);
  assert.equal(latency.clauseMs, 0);
  assert.equal(latency.ttsFirstByteMs, 60);
  assert.ok(latency.decisionMs >= 60 && latency.decisionMs <= 260);
  const overheadMs = latency.totalMs - latency.decisionMs - latency.llmFirstTokenMs - 60;
  assert.ok(overheadMs >= 0 && overheadMs <= 20, `${overheadMs} ms`);
});

test("an answer is made while it is still waited whether the caller has finished", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "delay", delayMs: 300 },
        { type: "text", text: "Until six." },
      ],
    ],
  });
  call.start();
  await call.say("how long are you open", 1000);
  await call.letAgentFinish();
  const latency = call.events.find((event) => event.type === "turn")?.latency;
  assert.ok(latency !== undefined && latency.totalMs <= latency.decisionMs + 20, `${latency?.totalMs} ms`);
  assert.deepEqual(call.transcript, ["user: how long are you open", "agent: Until six."]);
  assert.deepEqual(
    call.dialogue.history.map(({ text }) => text),
    ["how long are you open", "Until six."],
  );
});

test("an answer to what was not the end of the turn leaves no trace, and none of its tools is called", async () => {
  let toolCalls = 0;
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "I will book it. " },
        { type: "toolCall", toolName: "book", input: {} },
      ],
      [{ type: "toolCall", toolName: "book", input: {} }],
      "A table and a taxi are booked.",
    ],
    dialogue: {
      tools: [
        {
          name: "book",
          description: "Books.",
          inputSchema: { type: "object" },
          execute: () => Promise.resolve(`booking ${++toolCalls}`),
        },
      ],
    },
  });
  call.start();
  await call.say("book a table", 800);
  await call.stayQuiet(500);
  assert.equal(call.model.requests.length, 1);
  await call.say("a taxi too", 600);
  await call.letAgentFinish();
  assert.equal(toolCalls, 1);
  assert.equal(call.model.requests[0]?.abortSignal?.aborted, true);
  assert.deepEqual(call.transcript, [
    "user: book a table a taxi too",
    "tool_call: {}",
    "tool_result: booking 1",
    "agent: A table and a taxi are booked.",
  ]);
  const prompt = JSON.stringify(call.model.requests[2]?.prompt);
  assert.equal(prompt.split("book a table").length, 2, "the caller's words stand in the prompt once");
});

test("barging in silences the agent within one frame of the decision", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  const from = call.frames.length;
  await call.makeNoise(400);
  const decidedAtMs = call.decisions.find(({ effects }) => effects.some(({ type }) => type === "pauseSpeech"))
    ?.event.atMs;
  const lastFrame = call.frames.findLastIndex((frame) => frame !== undefined);
  assert.ok(decidedAtMs !== undefined);
  assert.ok(lastFrame * 20 <= decidedAtMs, `last frame at ${lastFrame * 20}, decision at ${decidedAtMs}`);
  assert.ok((lastFrame - from) * 20 <= 240, "speech onset to last frame");
});

test("what is cut off fades out", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  await call.makeNoise(400);
  const last = call.frames.findLast((frame) => frame !== undefined);
  assert.ok(last !== undefined && last.subarray(0, 20).some((sample) => sample !== 0));
  assert.ok(last.subarray(-4).every((sample) => Math.abs(sample) < 200));
});

test("an interrupted message holds only what was heard, in the transcript and for the model", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  await call.say("only those by the sea please", 1000);
  await call.letAgentFinish();
  const [, cut, , answer] = call.items;
  assert.ok(cut?.type === "message" && cut.interrupted === true);
  assert.ok(LONG_ANSWER.startsWith(cut.text) && cut.text.length > 10 && cut.text.length < 40, cut.text);
  assert.equal(answer?.text, "Very well.");
  const prompt = call.model.requests[1]?.prompt.map(({ role, content }) =>
    typeof content === "string"
      ? [role]
      : [role, ...content.map((part) => (part.type === "text" ? part.text : ""))],
  );
  assert.deepEqual(prompt, [
    ["system"],
    ["user", "tell me about the rooms"],
    ["assistant", cut.text],
    ["user", "only those by the sea please"],
  ]);
});

test("word timings of the provider decide which words were heard", async () => {
  const call = new CallDriver({ replies: [LONG_ANSWER] });
  call.tts.sendsWordTimings = true;
  call.start();
  await call.say("tell me about the rooms", 1000);
  await call.waitUntil(() => call.isSpeaking);
  // "We have many rooms," lasts 19 characters of 60 ms; "many" ends at 780 ms, "rooms," at 1140 ms.
  await call.stayQuiet(700);
  await call.say("stop", 300);
  await call.stayQuiet(300);
  assert.equal(call.items.at(-1)?.text, "We have many");
});

test("an interruption cancels model and synthesis", async () => {
  const call = new CallDriver({
    replies: [[{ type: "text", text: "Let me tell you about it, it is quite a story. " }, { type: "stall" }]],
  });
  call.start();
  await call.say("tell me", 800);
  await call.waitUntil(() => call.isSpeaking);
  await call.say("stop", 400);
  await call.stayQuiet(300);
  assert.equal(call.tts.streams[0]?.isClosed, true);
  assert.equal(call.model.requests[0]?.abortSignal?.aborted, true);
});

test("speech shorter than the threshold does not stop the agent", async () => {
  const call = await callWithLongAnswer({ agent: { interruptionThresholdMs: 400 } });
  await call.stayQuiet(500);
  await call.say("mhm", 300);
  await call.letAgentFinish();
  await call.stayQuiet(2000);
  assert.deepEqual(call.transcript, ["user: tell me about the rooms", `agent: ${LONG_ANSWER}`]);
});

/** How long the agent was silent in the middle of its answer. */
function gapMs(call: CallDriver): number {
  const heard = call.frames.map((frame) => frame !== undefined);
  return heard.slice(heard.indexOf(true), heard.lastIndexOf(true)).filter((isHeard) => !isHeard).length * 20;
}

test("noise without words makes the agent pause for a moment, and nothing of its answer is lost", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(500);
  await call.makeNoise(400);
  assert.equal(call.isSpeaking, false);
  await call.waitUntil(() => call.isSpeaking, 400);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: tell me about the rooms", `agent: ${LONG_ANSWER}`]);
  const heardMs = call.frames.filter((frame) => frame !== undefined).length * 20;
  const spoken = call.tts.spoken.flat().reduce((ms, clause) => ms + call.tts.durationMs(clause), 0);
  assert.equal(heardMs, spoken);
});

test("the longer it is disturbed for nothing, the less the agent lets itself be disturbed", async () => {
  const call = await callWithLongAnswer();
  for (let i = 0; i < 4; i++) {
    await call.stayQuiet(300);
    await call.makeNoise(400);
  }
  await call.letAgentFinish();
  assert.ok(gapMs(call) > 100 && gapMs(call) < 1200, `${gapMs(call)} ms`);
});

test("a speaker in the background does not keep the agent silent", async () => {
  const call = await callWithLongAnswer();
  call.stt.hearWords("yeah right");
  await call.makeNoise(16_000);
  assert.equal(call.transcript.at(-1), `agent: ${LONG_ANSWER}`);
});

test("a listener's uh-huh does not interrupt, with more words after it it does", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(300);
  await call.say("uh-huh, okay", 400);
  await call.waitUntil(() => call.isSpeaking, 400);
  await call.say("but wait", 500);
  await call.letAgentFinish();
  assert.equal(call.transcript[2], "user: uh-huh, okay but wait");
  assert.equal(call.transcript[3], "agent: Very well.");
});

test("words that the agent's owner lists do not interrupt it, and neither do too few", async () => {
  const agent = { interruptionIgnoreWords: ["na klar"], minInterruptionWords: 2, language: "de" };
  const call = await callWithLongAnswer({ agent });
  await call.say("na klar", 300);
  await call.waitUntil(() => call.isSpeaking, 400);
  await call.stayQuiet(800);
  await call.say("moment", 500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript.slice(1), [`agent: ${LONG_ANSWER}`]);
});

test("the agent's own words, coming back over the line, do not interrupt it", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  await call.say("We have many", 400);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript.slice(1), [`agent: ${LONG_ANSWER}`]);
});

test("nobody interrupts an agent that does not let itself be interrupted", async () => {
  const call = await callWithLongAnswer({ agent: { disableInterruptions: true } });
  await call.stayQuiet(500);
  await call.say("wait a moment", 1500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: tell me about the rooms", `agent: ${LONG_ANSWER}`]);
});

test("what a caller goes on saying after an uninterruptible agent has finished is answered", async () => {
  const call = new CallDriver({
    agent: { disableInterruptions: true },
    replies: ["Yes, of course.", "Thank you."],
  });
  call.start();
  await call.say("may I", 800);
  await call.waitUntil(() => call.isSpeaking);
  await call.say("my name is Ann", 2500);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript.slice(2), ["user: my name is Ann", "agent: Thank you."]);
});

test("noise without words makes no turn", async () => {
  const call = new CallDriver({ replies: ["Never said."] });
  call.start();
  await call.makeNoise(600);
  await call.stayQuiet(3000);
  assert.deepEqual(call.transcript, []);
  assert.equal(call.model.requests.length, 0);
});

test("speech resuming within the pause belongs to the same turn", async () => {
  const call = new CallDriver({ replies: ["Noted."] });
  call.start();
  await call.say("my number is", 900);
  await call.stayQuiet(460);
  await call.say("five five two", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: my number is five five two", "agent: Noted."]);
  assert.equal(call.model.requests.length, 1);
});

test("an utterance starts with the audio from before it was noticed", async () => {
  const call = new CallDriver({ replies: ["Yes."] });
  call.start();
  await call.stayQuiet(2000);
  await call.say("hello", 500);
  assert.ok((call.stt.streams[0]?.leadsMs[0] ?? 0) >= 300);
});

test("the text is asked for in the pause, so that it is there when the turn ends", async () => {
  const call = new CallDriver({ replies: ["Yes."] });
  call.stt.delayMs = 300;
  call.start();
  await call.say("hello", 500);
  await call.letAgentFinish();
  const latency = call.events.find((event) => event.type === "turn")?.latency;
  assert.ok(latency !== undefined && latency.decisionMs < 640);
});

test("a caller who goes on speaking before the answer is heard is answered once, with everything said", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "delay", delayMs: 2000 },
        { type: "text", text: "Too early." },
      ],
      "Both then.",
    ],
  });
  call.start();
  await call.say("a table", 700);
  await call.waitUntil(() => call.state === "thinking");
  await call.say("and a taxi", 700);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: a table", "user: and a taxi", "agent: Both then."]);
});

test("a cough while the agent thinks does not cost the caller the answer", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "delay", delayMs: 2000 },
        { type: "text", text: "Too early." },
      ],
      "A table for two.",
    ],
  });
  call.start();
  await call.say("a table", 700);
  await call.waitUntil(() => call.state === "thinking");
  await call.makeNoise(300);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["user: a table", "agent: A table for two."]);
});

test("silence on both sides ends the call, counted from when either last spoke", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "Hello, this is Parley.", silenceEndCallTimeoutSeconds: 5 },
  });
  call.start();
  await call.letAgentFinish();
  const quietFromMs = call.nowMs;
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "silence_timeout");
  assert.ok(Math.abs(call.nowMs - quietFromMs - 5000) <= 60);
});

test("the agent asks again when the caller does not answer, and the call still ends in silence", async () => {
  const call = new CallDriver({
    agent: { firstMessage: "How can I help?", turnTimeoutSeconds: 4, silenceEndCallTimeoutSeconds: 10 },
    replies: ["Are you still there?", "Hello?"],
  });
  call.start();
  await call.letAgentFinish();
  const quietFromMs = call.nowMs;
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(call.transcript, [
    "agent: How can I help?",
    "agent: Are you still there?",
    "agent: Hello?",
  ]);
  assert.equal(call.end?.endReason, "silence_timeout");
  assert.ok(Math.abs(call.nowMs - quietFromMs - 10_000) <= 800, `${call.nowMs - quietFromMs} ms`);
  assert.match(JSON.stringify(call.model.requests[0]?.prompt.at(-1)), /said nothing/);
  assert.ok(call.dialogue.history.every((entry) => entry.type === "message"));
});

test("a generated greeting is the model's, is ready when the call is answered and can be interrupted", async () => {
  const call = new CallDriver({
    agent: { firstMessageMode: "generated", firstMessage: "Welcome to Parley" },
    replies: [LONG_ANSWER, "Yes?"],
  });
  const prepared = call.conversation.prepare(new AbortController().signal);
  await call.clock.advance(2_000);
  await prepared;
  call.start();
  await call.stayQuiet(20);
  assert.notEqual(call.frames[0], undefined);
  assert.match(JSON.stringify(call.model.requests[0]?.prompt), /Welcome to Parley/);
  await call.say("stop", 400);
  await call.letAgentFinish();
  assert.equal(call.transcript.at(-1), "agent: Yes?");
  assert.equal(call.items[0]?.type === "message" && call.items[0].interrupted, true);
});

test("a long call ends at its greatest length, in the middle of a word if need be", async () => {
  const call = new CallDriver({
    agent: { firstMessage: LONG_ANSWER, maxConversationDurationSeconds: 3 },
  });
  call.start();
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "max_duration");
  assert.equal(call.nowMs, 3000);
  const [item] = call.items;
  assert.ok(item?.type === "message" && item.interrupted === true);
  assert.equal(call.conversation.nextFrame(), undefined);
});

test("end_call hangs up once the words before it have been heard", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "Thank you for calling. Goodbye!" },
        { type: "toolCall", toolName: "end_call", input: {} },
      ],
    ],
  });
  call.start();
  await call.say("that is all", 700);
  await call.waitUntil(() => call.end !== undefined);
  assert.equal(call.end?.endReason, "agent_hangup");
  assert.equal(call.transcript.at(-1), "agent: Thank you for calling. Goodbye!");
  const heardFrames = call.frames.filter((frame) => frame !== undefined).length;
  assert.ok(heardFrames * 20 >= call.tts.durationMs("Thank you for calling.Goodbye!"));
});

test("end_call says the farewell that it is given", async () => {
  const call = new CallDriver({
    replies: [[{ type: "toolCall", toolName: "end_call", input: { farewell: "Bye bye." } }]],
  });
  call.start();
  await call.say("that is all", 700);
  await call.waitUntil(() => call.end !== undefined);
  assert.deepEqual(call.transcript, ["user: that is all", "agent: Bye bye."]);
  assert.equal(call.end?.endReason, "agent_hangup");
});

test("a caller who interrupts the farewell keeps the call", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "Thank you for calling, have a very nice day. Goodbye!" },
        { type: "toolCall", toolName: "end_call", input: {} },
      ],
      "One more thing then.",
    ],
  });
  call.start();
  await call.say("that is all", 700);
  await call.waitUntil(() => call.isSpeaking);
  await call.say("wait, one more thing", 900);
  await call.letAgentFinish();
  await call.stayQuiet(1000);
  assert.equal(call.end, undefined);
  assert.equal(call.transcript.at(-1), "agent: One more thing then.");
});

test("tool calls stand in the transcript between the words before and after them", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "Let me look that up for you." },
        { type: "toolCall", toolName: "opening_hours", input: { day: "Monday" } },
      ],
      "We are open from nine to five.",
    ],
    dialogue: {
      tools: [
        {
          name: "opening_hours",
          description: "Opening hours of a day.",
          inputSchema: { type: "object" },
          execute: () => Promise.resolve({ from: 9, to: 17 }),
        },
      ],
    },
  });
  call.start();
  await call.say("when do you open on Monday", 900);
  await call.letAgentFinish();
  await call.waitUntil(() => call.items.length === 5);
  assert.deepEqual(call.transcript, [
    "user: when do you open on Monday",
    "agent: Let me look that up for you.",
    'tool_call: {"day":"Monday"}',
    'tool_result: {"from":9,"to":17}',
    "agent: We are open from nine to five.",
  ]);
});

test("the agent counts as speaking only while it can be heard", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "text", text: "One moment please. " },
        { type: "text", text: "I " },
        { type: "delay", delayMs: 3000 },
        { type: "text", text: "have found it." },
      ],
    ],
  });
  call.start();
  await call.say("find it", 700);
  await call.letAgentFinish();
  const states = call.events.flatMap((event) => (event.type === "state" ? [event.state] : []));
  assert.deepEqual(states, ["thinking", "speaking", "thinking", "speaking", "listening"]);
});

test("a key that the caller pressed stands in the transcript and is known to the agent", async () => {
  const call = new CallDriver({ replies: ["You pressed five."] });
  call.start();
  call.conversation.dtmf("5");
  await call.say("what did I press", 900);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, ["dtmf: 5", "user: what did I press", "agent: You pressed five."]);
  assert.match(JSON.stringify(call.model.requests[0]?.prompt), /pressed 5/);
});

test("synthesis is asked to pause when it is ten seconds ahead", async () => {
  const call = new CallDriver({ agent: { firstMessage: `${LONG_ANSWER} ${LONG_ANSWER} ${LONG_ANSWER}` } });
  call.tts.chunkIntervalMs = 1;
  call.start();
  await call.waitUntil(() => call.tts.streams[0]?.isPaused === true, 5000);
  await call.letAgentFinish();
  assert.deepEqual(call.transcript, [`agent: ${LONG_ANSWER} ${LONG_ANSWER} ${LONG_ANSWER}`]);
});

test("the owner ends the call once, and what the agent was saying is kept as far as it was heard", async () => {
  const call = await callWithLongAnswer();
  await call.stayQuiet(1500);
  call.conversation.end("user_hangup");
  call.conversation.end("api_hangup");
  call.conversation.close();
  call.conversation.close();
  await call.stayQuiet(1000);
  assert.equal(call.events.filter((event) => event.type === "ended").length, 1);
  assert.equal(call.events.at(-1)?.type, "ended");
  assert.equal(call.end?.endReason, "user_hangup");
  assert.match(call.transcript.at(-1) ?? "", /^agent: We have many rooms/);
  assert.ok(call.stt.streams.every(({ isClosed }) => isClosed));
  assert.ok(call.tts.streams.every(({ isClosed }) => isClosed));
  assert.equal(call.clock.pendingCount, 0);
});

test("a recorded log of events replays to the same decisions", async () => {
  const call = await callWithLongAnswer({ agent: { firstMessage: "Hello, this is Parley." } });
  await call.stayQuiet(1200);
  await call.say("stop", 600);
  await call.letAgentFinish();
  await call.waitUntil(() => call.end !== undefined, 60_000);
  let state = initialTurnState({
    startSpeaker: "agent",
    hasGreeting: true,
    firstMessageDelayMs: 0,
    endpointingDelayMs: 600,
    language: "en",
    interruptionThresholdMs: 160,
    disableInterruptions: false,
    interruptionIgnoreWords: [],
    minInterruptionWords: 0,
    turnTimeoutMs: Infinity,
    silenceLimitMs: 30_000,
    maxDurationMs: 600_000,
  });
  for (const { event, effects } of call.decisions) {
    const step = turnStep(state, structuredClone(event));
    assert.deepEqual(step.effects, effects);
    state = step.state;
  }
  assert.equal(state.phase, "ended");
});

test("words that come with a tool call are said while the tool works", async () => {
  const call = new CallDriver({
    replies: [
      [
        { type: "toolCall", toolName: "look_up", input: {} },
        { type: "text", text: "I am looking it up for you." },
      ],
    ],
    dialogue: {
      tools: [
        {
          name: "look_up",
          description: "Looks something up.",
          inputSchema: { type: "object" },
          execute: () => new Promise(() => {}),
        },
      ],
    },
  });
  call.start();
  await call.say("what does it cost", 900);
  await call.waitUntil(() => call.isSpeaking, 1000);
});
