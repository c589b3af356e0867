import type { FlowTest, SlotValue } from "./flow-definition.ts";
import { readValue, type FlowValues } from "./flow-text.ts";

/** Whether a slot or variable passes a test. Comparisons of different types fail; without a value only `empty` and `not_equal` pass. */
export function passes(test: FlowTest, values: FlowValues): boolean {
  const actual = readValue(values, test.name);
  const isEmpty = actual === undefined || actual === "";
  if (test.is === "empty") return isEmpty;
  if (test.is === "filled") return !isEmpty;
  if (test.is === "not_equal") return actual !== test.value;
  if (actual === undefined) return false;
  if (test.is === "one_of") return (test.values ?? []).includes(actual);
  return test.value !== undefined && compares(test.is, actual, test.value);
}

function compares(
  is: Exclude<FlowTest["is"], "filled" | "empty" | "not_equal" | "one_of">,
  actual: SlotValue,
  expected: SlotValue,
): boolean {
  if (is === "equal") return actual === expected;
  if (is === "contains") return String(actual).toLowerCase().includes(String(expected).toLowerCase());
  if (typeof actual === "boolean" || typeof actual !== typeof expected) return false;
  switch (is) {
    case "less":
      return actual < expected;
    case "at_most":
      return actual <= expected;
    case "greater":
      return actual > expected;
    case "at_least":
      return actual >= expected;
  }
}
