import {
  DEFAULT_TEST_CASE,
  type TestAssertion,
  type TestCaseDefinition,
  type TestEndReason,
  type ToolMock,
  type TranscriptItem,
  type Variables,
} from "@parley/contract";
import { DO_NOT_CALL_TOOL_NAME, KEYPAD_TOOL_NAME, MESSAGE_TOOL_NAME } from "@parley/conversation";
import { canonicalJson } from "../../platform/canonical-json.ts";

const MAX_LINES = 100;
const MAX_LINE_CHARACTERS = 4_000;
const MAX_MOCKS = 40;
const MAX_ANSWERS = 20;
const MAX_ANSWER_CHARACTERS = 20_000;
const BUILT_IN: readonly string[] = [DO_NOT_CALL_TOOL_NAME, KEYPAD_TOOL_NAME, MESSAGE_TOOL_NAME];
/** Ends that a repetition can have. */
const REPEATABLE_ENDS: readonly string[] = ["agent_hangup", "user_hangup"];

/** A call that has ended. */
interface EndedCall {
  transcript: readonly TranscriptItem[];
  variables: Variables;
  endReason: TestEndReason | null;
}

/** A case that repeats a call: the caller's words, the answers of tools, and what the agent did. */
export function toTestCase({ transcript, variables, endReason }: EndedCall): TestCaseDefinition {
  const calls = listCalls(transcript);
  const toolMocks: ToolMock[] = calls.slice(0, MAX_MOCKS).map(({ toolName, input, answers }) => ({
    toolName,
    arguments: input,
    answers: answers.length > 0 ? answers.slice(0, MAX_ANSWERS) : [{ text: "" }],
  }));
  const called: TestAssertion[] = toolMocks.map(({ toolName, arguments: input = {} }) => ({
    type: "tool_called",
    toolName,
    arguments: input,
  }));
  const ended: TestAssertion[] =
    endReason !== null && REPEATABLE_ENDS.includes(endReason) ? [{ type: "end_reason", endReason }] : [];
  const assertions = [...called, ...ended];
  return {
    ...DEFAULT_TEST_CASE,
    callerLines: listLines(transcript),
    variables,
    toolMocks,
    // A case needs a way to decide, which its author replaces.
    assertions: assertions.length > 0 ? assertions : [{ type: "latency", maxMs: 30_000 }],
  };
}

/** What the caller said between two answers is one line. */
function listLines(transcript: readonly TranscriptItem[]): string[] {
  const lines: string[] = [];
  let isNewTurn = true;
  for (const { type, role, text } of transcript) {
    if (type !== "message" || text.trim() === "") continue;
    if (role === "user") {
      if (isNewTurn) lines.push(text.trim());
      else lines.push(`${lines.pop() ?? ""} ${text.trim()}`);
    }
    isNewTurn = role === "agent";
  }
  return lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARACTERS).toWellFormed());
}

interface ToolCalls {
  toolName: string;
  input: Record<string, unknown>;
  answers: ToolMock["answers"];
}

/** Calls of custom tools by their arguments, with their answers in turn. */
function listCalls(transcript: readonly TranscriptItem[]): ToolCalls[] {
  const calls = new Map<string, ToolCalls>();
  const results = new Map(
    transcript.flatMap((item) => (item.type === "tool_result" ? [[item.toolCallId, item] as const] : [])),
  );
  for (const { type, toolCallId, toolName = "", text } of transcript) {
    if (type !== "tool_call" || BUILT_IN.includes(toolName)) continue;
    const input = readInput(text);
    if (input === undefined) continue;
    const key = canonicalJson({ toolName, input });
    const call = calls.get(key) ?? { toolName, input, answers: [] };
    calls.set(key, call);
    const result = results.get(toolCallId);
    if (result === undefined) continue;
    const answer = result.text.slice(0, MAX_ANSWER_CHARACTERS).toWellFormed();
    call.answers.push({ text: answer, ...(result.isError === true && { isError: true }) });
  }
  // A mock with more arguments comes first: one with fewer would match its calls too.
  return [...calls.values()].toSorted(
    (one, other) => Object.keys(other.input).length - Object.keys(one.input).length,
  );
}

function readInput(text: string): Record<string, unknown> | undefined {
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === "object" && input !== null && !Array.isArray(input) ? { ...input } : undefined;
  } catch {
    return undefined;
  }
}
