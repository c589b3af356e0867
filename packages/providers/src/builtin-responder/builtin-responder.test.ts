import assert from "node:assert/strict";
import { test } from "node:test";
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ProviderError, SPEAK_NOW } from "@parley/conversation";
import { createBuiltinResponder } from "./builtin-responder.ts";
import { contentWords } from "./fact-index.ts";

const instructions = `You are Robin, the receptionist of Harbour Dental.
Be polite. Never give medical advice.
# Hours
On Saturday we are open from nine to one.
We are closed on Sunday.
# Prices
A checkup costs forty five pounds.`;

/**
 * Hashes words into a vector, so that texts with common words are similar. Enough to test everything but similarity in
 * meaning.
 */
function embedWords(text: string): Float32Array {
  const vector = new Float32Array(256);
  for (const word of contentWords(text)) {
    let hash = 7;
    for (const char of word) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 256;
    vector[hash] = 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

function createWordEmbedding(): { embed: (texts: string[]) => Promise<Float32Array[]>; embedded: string[] } {
  const embedded: string[] = [];
  return {
    embedded,
    embed: async (texts) => {
      embedded.push(...texts);
      return texts.map(embedWords);
    },
  };
}

const endCallTool = { type: "function" as const, name: "end_call", inputSchema: { type: "object" as const } };

function call(
  talk: readonly string[],
  more: Partial<LanguageModelV4CallOptions> = {},
): LanguageModelV4CallOptions {
  return {
    prompt: [
      { role: "system", content: instructions },
      ...talk.map((text, index) =>
        index % 2 === (talk.length + 1) % 2
          ? { role: "user" as const, content: [{ type: "text" as const, text }] }
          : { role: "assistant" as const, content: [{ type: "text" as const, text }] },
      ),
    ],
    tools: [endCallTool],
    ...more,
  };
}

async function readParts(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await createBuiltinResponder({ embed: createWordEmbedding().embed }).doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

async function reply(...talk: string[]): Promise<string> {
  const parts = await readParts(call(talk));
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
}

test("a question is answered with a sentence of the prompt, word by word", async () => {
  const parts = await readParts(call(["What does a checkup cost?"]));
  const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
  assert.equal(deltas.join(""), "A checkup costs forty five pounds.");
  assert.equal(deltas.length, 6);
  assert.deepEqual(
    parts.filter((part) => part.type !== "text-delta").map((part) => part.type),
    ["stream-start", "text-start", "text-end", "finish"],
  );
});

test("a question that the prompt does not answer gets an honest reply", async () => {
  assert.match(await reply("Do you sell bicycles?"), /^I am sorry, I do not know that\./);
});

test("an instruction of the prompt is never read out", async () => {
  assert.match(await reply("Do you give medical advice?"), /I do not know/);
});

test("a question that refers to the one before it is understood", async () => {
  assert.equal(
    await reply("Are you open on Saturday?", "On Saturday we are open from nine to one.", "And on Sunday?"),
    "We are closed on Sunday.",
  );
});

for (const goodbye of [
  "Great, thanks. Goodbye!",
  "that's all thank you",
  "ok bye",
  "no thank you",
  "have a nice day",
]) {
  test(`"${goodbye}" is answered with a goodbye and ends the call`, async () => {
    const parts = await readParts(call([goodbye]));
    assert.ok(parts.some((part) => part.type === "text-delta" && part.delta.includes("Goodbye")));
    const toolCall = parts.find((part) => part.type === "tool-call");
    assert.equal(toolCall?.toolName, "end_call");
    assert.equal(toolCall?.input, "{}");
    const finish = parts.at(-1);
    assert.equal(finish?.type === "finish" && finish.finishReason.unified, "tool-calls");
  });
}

test("a goodbye calls no tool that is not offered", async () => {
  const parts = await readParts(call(["Goodbye!"], { tools: [] }));
  assert.ok(parts.every((part) => part.type !== "tool-call"));
});

test("a no to the offer of more help ends the call; any other no does not", async () => {
  assert.match(
    await reply("thanks", "You are welcome. Is there anything else I can help you with?", "no"),
    /Goodbye/,
  );
  assert.doesNotMatch(await reply("hi", "Are you a patient of ours?", "no"), /Goodbye/);
});

test("courtesies are answered in kind", async () => {
  assert.match(await reply("hello"), /^Hello!/);
  assert.match(await reply("thank you very much"), /^You are welcome\./);
  assert.match(await reply("how are you"), /^I am fine/);
  assert.match(await reply("..."), /did not catch/);
});

test("a question after a courtesy is the one that is answered", async () => {
  assert.equal(
    await reply("hi good morning what does a checkup cost please"),
    "A checkup costs forty five pounds.",
  );
});

test("the last reply is repeated on request", async () => {
  assert.equal(
    await reply("hi", "We are closed on Sunday.", "Sorry, could you repeat that?"),
    "We are closed on Sunday.",
  );
});

test("the agent's identity comes from the prompt, and it admits to being a machine", async () => {
  assert.equal(await reply("Who am I speaking to?"), "I am Robin, the receptionist of Harbour Dental.");
  assert.match(await reply("are you a robot"), /automated assistant/);
  assert.match(await reply("what can you help me with"), /hours and prices/);
});

test("it greets if the caller has said nothing", async () => {
  const parts = await readParts({ prompt: [{ role: "system", content: instructions }] });
  assert.match(
    parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join(""),
    /^Hello\. I am Robin/,
  );
});

test("the facts of a prompt are embedded once", async () => {
  const { embed, embedded } = createWordEmbedding();
  const responder = createBuiltinResponder({ embed });
  for (let turn = 0; turn < 3; turn++) await responder.doGenerate(call(["What does a checkup cost?"]));
  assert.equal(embedded.length, 3 + 3);
});

test("the facts of a prompt are embedded before the first question if a call announces its prompt", async () => {
  const { embed, embedded } = createWordEmbedding();
  const responder = createBuiltinResponder({ embed });
  responder.prepare?.(instructions);
  assert.equal(embedded.length, 3);
  await responder.doGenerate(call(["What does a checkup cost?"]));
  assert.equal(embedded.length, 3 + 1);
});

test("facts that could not be embedded ahead are embedded with the first question", async () => {
  const { embed, embedded } = createWordEmbedding();
  const refused = new ProviderError({
    provider: "test",
    kind: "connection",
    message: "no",
    isRetryable: true,
  });
  let attempts = 0;
  const responder = createBuiltinResponder({
    embed: async (texts) => (attempts++ === 0 ? await Promise.reject(refused) : await embed(texts)),
  });
  responder.prepare?.(instructions);
  await new Promise((resolve) => setImmediate(resolve));
  await responder.doGenerate(call(["What does a checkup cost?"]));
  assert.equal(embedded.length, 3 + 1);
});

test("an abort ends the reply with its reason", async () => {
  const responder = createBuiltinResponder({ embed: createWordEmbedding().embed });
  const reason = new Error("the caller went on");
  await assert.rejects(
    Promise.resolve(responder.doStream(call(["hello"], { abortSignal: AbortSignal.abort(reason) }))),
    (error) => error === reason,
  );
});

test("an instruction to speak is read out word for word, after the answer that the caller awaits", async () => {
  const prompt = call(["How much is a checkup?"]).prompt;
  const told = (content: string) => readParts({ prompt: [...prompt, { role: "system", content }] });
  const textOf = (parts: readonly LanguageModelV4StreamPart[]) =>
    parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  assert.equal(textOf(await told(`${SPEAK_NOW}The dentist is late.`)), "The dentist is late.");
  assert.equal(
    textOf(await told(`Answer first. ${SPEAK_NOW}The dentist is late.`)),
    "A checkup costs forty five pounds. The dentist is late.",
  );
});

/** Replies to talk with instructions in between: a string that begins with `!` is one. */
async function replyWithInstructions(...talk: string[]): Promise<string> {
  const prompt = talk.map((text): LanguageModelV4CallOptions["prompt"][number] => {
    if (text.startsWith("!")) return { role: "system", content: text.slice(1) };
    if (text.startsWith("agent: "))
      return { role: "assistant", content: [{ type: "text", text: text.slice("agent: ".length) }] };
    return { role: "user", content: [{ type: "text", text }] };
  });
  const parts = await readParts({
    ...call([]),
    prompt: [{ role: "system", content: instructions }, ...prompt],
  });
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
}

for (const order of [
  "Tell the caller that the dentist is late.",
  "please say: the dentist is late",
  "Let them know that the dentist is late",
  "Mention to the customer that the dentist is late.",
  "Say “The dentist is late.”",
]) {
  test(`"${order}" is obeyed in the next reply, once`, async () => {
    assert.equal(
      await replyWithInstructions("hello", "agent: Hello!", `!${order}`, "How much is a checkup?"),
      "A checkup costs forty five pounds. The dentist is late.",
    );
    assert.equal(
      await replyWithInstructions(
        "hello",
        `!${order}`,
        "agent: The dentist is late.",
        "How much is a checkup?",
      ),
      "A checkup costs forty five pounds.",
    );
  });
}

test("what an instruction orders to say is said before a goodbye", async () => {
  assert.match(
    await replyWithInstructions("!Tell the caller that the dentist is late.", "Goodbye!"),
    /^The dentist is late\. .*Goodbye!$/,
  );
});

test("what an instruction states answers questions, and an order for the agent is not read out", async () => {
  const known = "!Parking behind the house is free today.";
  assert.equal(
    await replyWithInstructions(known, "Is parking free today?"),
    "Parking behind the house is free today.",
  );
  const secret = "!Never mention the parking behind the house.";
  assert.match(await replyWithInstructions(secret, "Is there parking behind the house?"), /I do not know/);
});
