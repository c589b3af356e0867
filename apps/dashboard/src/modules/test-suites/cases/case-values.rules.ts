import type { TestCase, TestCaseCreate, ToolMock } from "@parley/client";
import { caseDefaults } from "../test-suite-fields.at-build.ts";
import { type AssertionDraft, assertionOf, draftOf, findDraftFaults } from "./assertions.rules.ts";

/** A case as its form edits it. */
export interface CaseValues {
  name: string;
  /** Who speaks to the agent. */
  tester: "script" | "lines";
  script: string;
  callerLines: string[];
  scoringRubric: string;
  assertions: AssertionDraft[];
  /** JSON. */
  toolMocks: string;
  attemptsPerRun: number;
  variables: TestCase["variables"];
  callerConditions: TestCase["callerConditions"];
}

type CaseFields = Omit<TestCase, "id" | "testSuiteId" | "createdAt" | "updatedAt">;

export function valuesOf({ name, toolMocks, assertions, callerLines, ...rest }: CaseFields): CaseValues {
  return {
    name,
    tester: callerLines.length > 0 ? "lines" : "script",
    script: rest.script,
    callerLines: callerLines.length > 0 ? callerLines : [""],
    scoringRubric: rest.scoringRubric,
    assertions: assertions.map(draftOf),
    toolMocks: JSON.stringify(toolMocks, undefined, 2),
    attemptsPerRun: rest.attemptsPerRun,
    variables: rest.variables,
    callerConditions: rest.callerConditions,
  };
}

export const emptyCase = (): CaseValues => valuesOf({ ...caseDefaults, name: "" });

/** Faults by path. What is not found here the API finds. */
export function findCaseFaults(values: CaseValues): Record<string, string> {
  const mocks = readMocks(values.toolMocks);
  const isScripted = values.tester === "lines";
  const lines = values.callerLines.filter((line) => line.trim() !== "");
  return {
    ...(values.name.trim() === "" && { name: "is required" }),
    ...(isScripted && lines.length === 0 && { "callerLines.0": "is required: the tester needs a line" }),
    ...(!isScripted && values.script.trim() === "" && { script: "is required: the tester needs a script" }),
    ...(typeof mocks === "string" && { toolMocks: mocks }),
    ...findDraftFaults(values.assertions),
  };
}

export function bodyOf(values: CaseValues): TestCaseCreate {
  const { tester, callerLines, assertions, toolMocks, ...plain } = values;
  const mocks = readMocks(toolMocks);
  return {
    ...plain,
    callerLines: tester === "lines" ? callerLines.filter((line) => line.trim() !== "") : [],
    assertions: assertions.map(assertionOf),
    toolMocks: typeof mocks === "string" ? [] : mocks,
  };
}

/** Returns the mocks, or what is wrong with the text. */
function readMocks(text: string): ToolMock[] | string {
  if (text.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as ToolMock[]) : "must be a JSON list: [ … ]";
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
