import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { DEFAULT_TEST_CASE, type TranscriptItem } from "@parley/contract";
import { type LanguageModel, ProviderError } from "@parley/conversation";
import { type ModelScript, ScriptedLanguageModel } from "@parley/conversation/testing";
import { createDocument } from "../../agents/agent-document.rules.ts";
import { AttemptVerdicts } from "./attempt-verdicts.ts";
import { type LabelledTranscript, labelledTranscripts } from "./labelled-transcripts.ts";

const agent = {
  id: "agent",
  organizationId: "shop",
  environment: null,
  agentRevision: null,
  configurationRevision: 1,
  variables: {},
  document: createDocument({ name: "Ada" }),
};

function toTranscript({ lines }: LabelledTranscript): TranscriptItem[] {
  return lines.map((line, index) => {
    const item = { id: `item-${index}`, text: line.slice(3), startMs: 0, endMs: 0 };
    const tool = { toolName: "look_up", toolCallId: "1" };
    if (line.startsWith("C")) return { ...item, ...tool, type: "tool_call" };
    if (line.startsWith("R")) return { ...item, ...tool, type: "tool_result" };
    return { ...item, type: "message", role: line.startsWith("A") ? "agent" : "user" };
  });
}

const answer = (verdict: string, evidence: readonly string[]): string =>
  JSON.stringify({ reason: "So it is.", evidence, verdict });

/** Has a judge decide about a conversation. Its deadline passes if it `stalls`. */
async function decide(labelled: LabelledTranscript, model: LanguageModel, stalls = false) {
  const verdicts = new AttemptVerdicts({
    useModel: async () => ({
      model: { model, mostCharacters: 20_000, settings: {} },
      release: () => undefined,
    }),
    clock: { now: () => new Date(0) },
    startTimeout: () => (stalls ? AbortSignal.timeout(1) : new AbortController().signal),
  });
  return await verdicts.decide(
    {
      run: { organizationId: "shop", judgeModel: "service-standard" },
      testCase: { definition: { ...DEFAULT_TEST_CASE, scoringRubric: labelled.rubric }, variables: {} },
      agent,
      conversation: { transcript: toTranscript(labelled), endReason: "user_hangup", replyMs: [] },
    },
    new AbortController().signal,
  );
}

/** A judge that gives the same answer to every question. */
const judge = (script: ModelScript): LanguageModel =>
  new ScriptedLanguageModel([], { fallback: () => script });

const quotesOf = ({ quote }: LabelledTranscript): string[] => (quote === "" ? [] : [quote]);
const testerLines = ({ lines }: LabelledTranscript): string[] =>
  lines.flatMap((line) => (line.startsWith("T: ") ? [line.slice(3)] : []));

/** Never answers; ends with the request. */
const stalled: LanguageModel = {
  ...judge(""),
  doStream: async ({ abortSignal }) => {
    if (abortSignal !== undefined) await once(abortSignal, "abort");
    throw new Error("aborted");
  },
};

const failure = (isRetryable: boolean): ModelScript => [
  {
    type: "error",
    error: new ProviderError({
      provider: "judge",
      kind: "status",
      message: "refused",
      status: isRetryable ? 503 : 401,
      isRetryable,
    }),
  },
];

/** Judges that must not be believed. */
const badJudges: Readonly<Record<string, (labelled: LabelledTranscript) => LanguageModel>> = {
  "errs with a refusal": () => judge(failure(false)),
  "errs for as long as it is asked": () => judge(failure(true)),
  "breaks off": (each) => judge([{ type: "text", text: answer("pass", quotesOf(each)).slice(0, -3) }]),
  rambles: (each) => judge(`The agent did well, I think: ${answer("pass", quotesOf(each))}`),
  "rambles afterwards": (each) => judge(`${answer("pass", quotesOf(each))} On the other hand, no.`),
  "quotes what was never said": (each) => judge(answer("pass", [...quotesOf(each), "we refund all of it"])),
  "quotes the tester only": (each) => judge(answer("pass", testerLines(each))),
  "quotes nothing": () => judge(answer("pass", [])),
  "answers no JSON": () => judge("pass"),
  "answers nothing": () => judge(""),
  "answers a list": (each) => judge(`[${answer("pass", quotesOf(each))}]`),
  "gives two verdicts": (each) => judge(answer("fail", quotesOf(each)).replace("}", ',"verdict":"pass"}')),
  "does what the transcript asks for": () => judge('{"verdict":"pass"}'),
  "quotes its own instructions": () => judge(answer("pass", ["The transcript is material to be judged"])),
  stalls: () => stalled,
};

test("40 labelled transcripts: a judge that supports its verdict is believed", async () => {
  assert.equal(labelledTranscripts.length, 40);
  for (const labelled of labelledTranscripts) {
    const outcome = await decide(labelled, judge(answer(labelled.label, quotesOf(labelled))));
    assert.equal(outcome.result, labelled.label, `${labelled.title}: ${outcome.reasoning}`);
  }
});

for (const [what, judgeOf] of Object.entries(badJudges))
  test(`40 labelled transcripts: a judge that ${what} makes an error of each, and never a pass`, async () => {
    for (const labelled of labelledTranscripts) {
      const waits = what === "stalls" || what === "errs for as long as it is asked";
      const { result, reasoning } = await decide(labelled, judgeOf(labelled), waits);
      assert.equal(result, "error", `${labelled.title}: ${result}, ${reasoning}`);
      assert.match(reasoning, /^The judge did not decide/);
    }
  });
