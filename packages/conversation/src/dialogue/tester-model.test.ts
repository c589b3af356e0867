import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedLanguageModel } from "../testing/scripted-language-model.ts";
import type { TranscriptEntry } from "../transcript.ts";
import { Dialogue } from "./dialogue.ts";
import { createKeypadTool } from "./keypad-tool.ts";
import { createTesterModel, type TesterModelOptions } from "./tester-model.ts";

const lines = ["One.", "Two."].map((text) => ({ type: "say" as const, text }));
const never = new AbortController().signal;

/** A tester whose part is played, and what it does when it hears a text. */
function play(options: Partial<TesterModelOptions>, transcript: readonly TranscriptEntry[] = []) {
  const model = new ScriptedLanguageModel([], { fallback: () => "By the model." });
  const pressed: string[] = [];
  const dialogue = new Dialogue({
    model: createTesterModel({ model, maxTurns: 10, ...options }),
    instructions: "",
    tools: [createKeypadTool({ press: async (keys) => void pressed.push(keys) })],
    endCall: {},
    transcript,
  });
  const hear = async (text: string, delivered?: readonly string[]): Promise<string> => {
    const reply = dialogue.respond({ type: "message", text }, { signal: never });
    let said = "";
    for await (const part of reply) {
      if (part.type === "text") said += part.text;
      if (part.type === "end" && part.endsConversation) said += "[hangs up]";
    }
    dialogue.settle(reply.id, delivered);
    return said;
  };
  return { dialogue, pressed, hear };
}

test("a tester says its lines in turn, and hangs up without a word after the answer to the last one", async () => {
  const { hear } = play({ lines });
  assert.deepEqual(
    [await hear("Hello."), await hear("Yes?"), await hear("Bye.")],
    ["One.", "Two.", "[hangs up]"],
  );
});

test("a line of which nothing was heard is said again", async () => {
  const { hear } = play({ lines });
  assert.deepEqual(
    [await hear("Hello.", [""]), await hear("Yes?"), await hear("And?")],
    ["One.", "One.", "Two."],
  );
});

test("a line that was prepared and dropped is not lost", async () => {
  const { dialogue, hear } = play({ lines });
  const preview = dialogue.respond({ type: "preview", text: "Hel" }, { signal: never });
  for await (const part of preview) if (part.type === "end") break;
  dialogue.settle(preview.id, []);
  assert.equal(await hear("Hello."), "One.");
});

test("a line may press keys, and counts as one turn", async () => {
  const { hear, pressed } = play({ lines: [{ type: "press", keys: "12#" }, ...lines] });
  assert.deepEqual([await hear("Press keys."), await hear("Thanks.")], ["", "One."]);
  assert.deepEqual(pressed, ["12#"]);
});

test("a tester that began the conversation goes on with its second line", async () => {
  const { hear } = play({ lines }, [{ type: "message", role: "agent", text: "One." }]);
  assert.equal(await hear("Yes?"), "Two.");
});

test("without lines the model speaks, until the turns are used up", async () => {
  const { hear } = play({ maxTurns: 2 });
  const all = [await hear("Hello."), await hear("Yes?"), await hear("So?")];
  assert.deepEqual(all, ["By the model.", "By the model.", "[hangs up]"]);
});

test("a tester that falls silent says nothing and does not hang up", async () => {
  const { hear } = play({ lines, silentAfterTurns: 1 });
  assert.deepEqual([await hear("Hello."), await hear("Yes?"), await hear("Hello?")], ["One.", "", ""]);
});

test("a tester waits after a filler or its first half, and goes on after the answer", async () => {
  const { hear } = play({ lines, fillers: ["One moment, please.", "少々お待ちください。"] });
  assert.deepEqual([await hear("one moment"), await hear("We open at nine.")], ["", "One."]);
  assert.deepEqual([await hear("少々お待ちください"), await hear("One")], ["", "Two."]);
  assert.equal(await hear("One moment, please. It is closed."), "[hangs up]");
});
