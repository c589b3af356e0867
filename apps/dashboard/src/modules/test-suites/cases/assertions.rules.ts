import type { TestAssertion } from "@parley/client";

export type AssertionType = TestAssertion["type"];

/** A place in an order: a call of a tool, or words of the agent. */
interface OrderStep {
  kind: "tool" | "words";
  words: string;
}

/** An assertion as a form edits it: every field has a value, needed by its type or not. */
export interface AssertionDraft {
  type: AssertionType;
  toolName: string;
  /** JSON; empty: any. */
  arguments: string;
  match: "partial" | "exact";
  times: number | null;
  text: string;
  role: "agent" | "user";
  sequence: OrderStep[];
  maxMs: number | null;
  endReason: string;
  field: string;
  value: string;
}

const emptyDraft: Omit<AssertionDraft, "type"> = {
  toolName: "",
  arguments: "",
  match: "partial",
  times: null,
  text: "",
  role: "agent",
  sequence: [
    { kind: "words", words: "" },
    { kind: "tool", words: "" },
  ],
  maxMs: 2_000,
  endReason: "user_hangup",
  field: "",
  value: "",
};

export const newDraft = (type: AssertionType): AssertionDraft => ({ ...structuredClone(emptyDraft), type });

export function draftOf(assertion: TestAssertion): AssertionDraft {
  const { sequence, value, arguments: expected, ...given } = assertion;
  return {
    ...newDraft(assertion.type),
    ...given,
    ...(sequence !== undefined && {
      sequence: sequence.map(({ toolName, text = "" }) =>
        toolName === undefined ? { kind: "words", words: text } : { kind: "tool", words: toolName },
      ),
    }),
    ...(expected !== undefined && { arguments: JSON.stringify(expected) }),
    ...(value !== undefined && { value: typeof value === "string" ? value : JSON.stringify(value) }),
  };
}

/** The assertion of a draft, with the fields that its type takes. What is missing is the API's to refuse. */
export function assertionOf(draft: AssertionDraft): TestAssertion {
  const { type, toolName, match, times, text, role, sequence, maxMs, endReason, field } = draft;
  const expected = readArguments(draft.arguments);
  const tool = {
    type,
    toolName,
    ...(typeof expected === "object" && { arguments: expected, ...(match === "exact" && { match }) }),
  };
  switch (type) {
    case "tool_called":
      return { ...tool, ...(times !== null && { times }) };
    case "tool_not_called":
      return tool;
    case "said":
    case "not_said":
      return { type, text, ...(role === "user" && { role }) };
    case "order":
      return {
        type,
        sequence: sequence.map(({ kind, words }) =>
          kind === "tool" ? { toolName: words } : { text: words },
        ),
      };
    case "latency":
      return { type, ...(maxMs !== null && { maxMs }) };
    case "end_reason":
      return { type, endReason: endReason as NonNullable<TestAssertion["endReason"]> };
    case "extraction":
      return { type, field, value: readScalar(draft.value) };
  }
}

/** Returns the arguments, `undefined` if none are given, or a text that says what is wrong. */
function readArguments(text: string): Record<string, unknown> | string | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The answer is the same as for another kind of JSON.
  }
  return 'must be a JSON object, such as {"number": "1234"}';
}

/** Faults that the API would not see, by path in the form. */
export function findDraftFaults(drafts: readonly AssertionDraft[]): Record<string, string> {
  return Object.fromEntries(
    drafts.flatMap((draft, index) => {
      const isTool = draft.type === "tool_called" || draft.type === "tool_not_called";
      const read = isTool ? readArguments(draft.arguments) : undefined;
      return typeof read === "string" ? [[`assertions.${index}.arguments`, read]] : [];
    }),
  );
}

/** Numbers, true, false and null as such; everything else is text. */
function readScalar(text: string): string | number | boolean | null {
  return /^(true|false|null|-?\d{1,15}(\.\d{1,10})?)$/.test(text)
    ? (JSON.parse(text) as number | boolean | null)
    : text;
}
