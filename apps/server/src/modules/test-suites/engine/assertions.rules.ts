import type { TestAssertion, TestAssertionResult, TranscriptItem, VariableValue } from "@parley/contract";
import { matchesArguments } from "../../../custom-tools/tool-mocks.ts";
import type { AttemptConversation } from "./attempt-carrier.ts";
import { containsWords, toWords } from "./words.rules.ts";

/** What assertions are checked against. */
export interface CheckedConversation extends AttemptConversation {
  /** Values of the agent's `postCallExtraction`; `undefined` if they were not asked for. */
  extraction: Readonly<Record<string, unknown>> | null | undefined;
}

type Outcome = Pick<TestAssertionResult, "passed" | "detail">;

/** Checks assertions in their order. */
export function checkAssertions(
  assertions: readonly TestAssertion[],
  conversation: CheckedConversation,
): TestAssertionResult[] {
  return assertions.map((assertion) => ({ type: assertion.type, ...check(assertion, conversation) }));
}

function check(assertion: TestAssertion, conversation: CheckedConversation): Outcome {
  switch (assertion.type) {
    case "tool_called":
      return checkCalls(assertion, conversation);
    case "tool_not_called": {
      const calls = findCalls(assertion, conversation).length;
      const what = describeCall(assertion);
      return { passed: calls === 0, detail: `${what} was called ${times(calls)}; expected: never.` };
    }
    case "said":
    case "not_said":
      return checkWords(assertion, conversation);
    case "order":
      return checkOrder(assertion, conversation);
    case "latency":
      return checkLatency(assertion, conversation);
    case "end_reason": {
      const { endReason } = conversation;
      const detail = `The conversation ended with ${endReason}; expected: ${assertion.endReason}.`;
      return { passed: endReason === assertion.endReason, detail };
    }
    case "extraction":
      return checkExtraction(assertion, conversation);
  }
}

function checkCalls(assertion: TestAssertion, conversation: CheckedConversation): Outcome {
  const calls = findCalls(assertion, conversation).length;
  const { times: expected } = assertion;
  const wanted = expected === undefined ? "at least once" : times(expected);
  return {
    passed: expected === undefined ? calls > 0 : calls === expected,
    detail: `${describeCall(assertion)} was called ${times(calls)}; expected: ${wanted}.`,
  };
}

function checkWords(assertion: TestAssertion, { transcript }: CheckedConversation): Outcome {
  const { text = "", role = "agent" } = assertion;
  const isSaid = transcript.some((item) => isMessageWith(item, role, text));
  const who = role === "agent" ? "The agent" : "The tester";
  return {
    passed: isSaid === (assertion.type === "said"),
    detail: `${who} ${isSaid ? "said" : "did not say"} "${text}".`,
  };
}

function checkOrder({ sequence = [] }: TestAssertion, { transcript }: CheckedConversation): Outcome {
  let from = 0;
  for (const step of sequence) {
    const { toolName, text = "" } = step;
    const found = transcript.findIndex(
      (item, index) =>
        index >= from &&
        (toolName === undefined
          ? isMessageWith(item, "agent", text)
          : item.type === "tool_call" && item.toolName === toolName),
    );
    const what = toolName === undefined ? `"${text}"` : toolName;
    if (found === -1)
      return {
        passed: false,
        detail: `${what} did not occur${from === 0 ? "" : " after what precedes it in the order"}.`,
      };
    from = found + 1;
  }
  return { passed: true, detail: `All ${sequence.length} occurred in this order.` };
}

function checkLatency({ maxMs = 0 }: TestAssertion, { replyMs }: CheckedConversation): Outcome {
  if (replyMs.length === 0) return { passed: false, detail: "The agent gave no reply." };
  const slowest = Math.round(Math.max(...replyMs));
  return {
    passed: slowest <= maxMs,
    detail: `The slowest of ${replyMs.length} replies took ${slowest} ms; expected: at most ${maxMs} ms.`,
  };
}

function checkExtraction({ field = "", value }: TestAssertion, { extraction }: CheckedConversation): Outcome {
  if (extraction === null || extraction === undefined || !Object.hasOwn(extraction, field))
    return { passed: false, detail: `The agent extracts no field of the name ${field}.` };
  const given = extraction[field];
  return {
    passed: isSameValue(given, value ?? null),
    detail: `${field} is ${JSON.stringify(given)}; expected: ${JSON.stringify(value ?? null)}.`,
  };
}

function isSameValue(given: unknown, expected: VariableValue): boolean {
  const normalize = (value: unknown): unknown =>
    typeof value === "string" ? value.trim().toLowerCase() : value;
  return normalize(given) === normalize(expected);
}

function findCalls(assertion: TestAssertion, { transcript }: CheckedConversation): TranscriptItem[] {
  return transcript.filter(
    (item) =>
      item.type === "tool_call" &&
      item.toolName === assertion.toolName &&
      (assertion.arguments === undefined || matchesArguments(parse(item.text), assertion)),
  );
}

function isMessageWith(item: TranscriptItem, role: "user" | "agent", text: string): boolean {
  return item.type === "message" && item.role === role && containsWords(toWords(item.text), toWords(text));
}

function describeCall({ toolName = "", arguments: expected, match }: TestAssertion): string {
  if (expected === undefined) return toolName;
  return `${toolName} with ${match === "exact" ? "exactly " : ""}${JSON.stringify(expected)}`;
}

function times(count: number): string {
  if (count === 0) return "never";
  return count === 1 ? "once" : `${count} times`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
