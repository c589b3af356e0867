import {
  type CallerConditions,
  DEFAULT_TEST_CASE,
  type Issue,
  type TestAssertion,
  type TestAssertionType,
  type TestCaseChange,
  type TestCaseDefinition,
} from "@parley/contract";
import { canonicalJson } from "../../platform/canonical-json.ts";
import { toWords } from "./engine/words.rules.ts";

type Detail = Exclude<keyof TestAssertion, "type">;

/** Fields that each type of assertion needs, and those that it may have. */
const details: Readonly<Record<TestAssertionType, { needs: readonly Detail[]; takes: readonly Detail[] }>> = {
  tool_called: { needs: ["toolName"], takes: ["arguments", "match", "times"] },
  tool_not_called: { needs: ["toolName"], takes: ["arguments", "match"] },
  said: { needs: ["text"], takes: ["role"] },
  not_said: { needs: ["text"], takes: ["role"] },
  order: { needs: ["sequence"], takes: [] },
  latency: { needs: ["maxMs"], takes: [] },
  end_reason: { needs: ["endReason"], takes: [] },
  extraction: { needs: ["field", "value"], takes: [] },
};

/** Applies the fields of a request: absent ones stay, null resets to the default. */
export function changeDefinition(before: TestCaseDefinition, change: TestCaseChange): TestCaseDefinition {
  const names = Object.keys(DEFAULT_TEST_CASE);
  const given = Object.entries(change).filter(([name, value]) => names.includes(name) && value !== undefined);
  const defaults: Readonly<Record<string, unknown>> = DEFAULT_TEST_CASE;
  const changed = given.map(([name, value]) => [name, value ?? defaults[name]]);
  const callerConditions = changeConditions(before.callerConditions, change.callerConditions);
  return { ...before, ...Object.fromEntries(changed), callerConditions };
}

function changeConditions(
  before: CallerConditions,
  change: TestCaseChange["callerConditions"],
): CallerConditions {
  const { callerConditions: defaults } = DEFAULT_TEST_CASE;
  if (change === undefined) return before;
  if (change === null) return defaults;
  const choose = <T>(given: T | null | undefined, stored: T, initial: T): T =>
    given === undefined ? stored : (given ?? initial);
  return {
    backgroundNoise: choose(change.backgroundNoise, before.backgroundNoise, defaults.backgroundNoise),
    packetLossPercent: choose(change.packetLossPercent, before.packetLossPercent, defaults.packetLossPercent),
    interruptsAfterMs: choose(change.interruptsAfterMs, before.interruptsAfterMs, null),
    silentAfterTurns: choose(change.silentAfterTurns, before.silentAfterTurns, null),
  };
}

/** What is wrong with a case; empty if a run can use it. */
export function findProblems(testCase: TestCaseDefinition): Issue[] {
  const { script, callerLines, scoringRubric, assertions, toolMocks } = testCase;
  const hasScript = script.trim() !== "" || callerLines.length > 0;
  const isJudged = scoringRubric.trim() !== "" || assertions.length > 0;
  return [
    ...(hasScript
      ? []
      : [
          { path: "script", message: "must not be empty unless there are callerLines: the tester needs one" },
        ]),
    ...(isJudged
      ? []
      : [
          {
            path: "scoringRubric",
            message: "must not be empty unless there are assertions: one must decide",
          },
        ]),
    ...assertions.flatMap((assertion, index) => findAssertionProblems(assertion, `assertions.${index}`)),
    ...findShadowedMocks(toolMocks),
  ];
}

function findAssertionProblems(assertion: TestAssertion, path: string): Issue[] {
  const { type, sequence = [] } = assertion;
  const { needs, takes } = details[type];
  const missing = needs.filter((name) => assertion[name] === undefined);
  const allowed: readonly string[] = ["type", ...needs, ...takes];
  const foreign = Object.keys(assertion).filter((name) => !allowed.includes(name));
  const unclear = sequence.flatMap(({ toolName, text }, index) =>
    (toolName === undefined) === (text === undefined) ? [`${path}.sequence.${index}`] : [],
  );
  const texts = [
    [`${path}.text`, assertion.text] as const,
    ...sequence.map(({ text }, index) => [`${path}.sequence.${index}`, text] as const),
  ];
  const wordless = texts.filter(([, text]) => text !== undefined && toWords(text).length === 0);
  return [
    ...missing.map((name) => ({ path: `${path}.${name}`, message: `is required for the type ${type}` })),
    ...foreign.map((name) => ({ path: `${path}.${name}`, message: `has no meaning for the type ${type}` })),
    ...unclear.map((at) => ({ path: at, message: "must have either a toolName or a text" })),
    ...wordless.map(([at]) => ({ path: at, message: "must contain a word: punctuation is not compared" })),
  ];
}

/** A mock that can never answer has no effect. */
function findShadowedMocks(toolMocks: TestCaseDefinition["toolMocks"]): Issue[] {
  const seen = new Set<string>();
  return toolMocks.flatMap((mock, index) => {
    const { toolName, match = "partial", arguments: expected = {} } = mock;
    const isShadowed = [{ toolName }, { toolName, match, expected }].some((key) =>
      seen.has(canonicalJson(key)),
    );
    const takesAny = match === "partial" && Object.keys(expected).length === 0;
    seen.add(canonicalJson(takesAny ? { toolName } : { toolName, match, expected }));
    const message = `never answers: an earlier mock of ${toolName} matches the same calls`;
    return isShadowed ? [{ path: `toolMocks.${index}`, message }] : [];
  });
}

/** Whether the tester is a language model. */
export const needsTester = ({ callerLines }: TestCaseDefinition): boolean => callerLines.length === 0;

export const needsJudge = ({ scoringRubric }: TestCaseDefinition): boolean => scoringRubric.trim() !== "";

/** Whether an attempt needs a language model beside the agent's. */
export function needsLanguageModel(testCase: TestCaseDefinition): boolean {
  return (
    needsTester(testCase) ||
    needsJudge(testCase) ||
    testCase.assertions.some(({ type }) => type === "extraction")
  );
}
