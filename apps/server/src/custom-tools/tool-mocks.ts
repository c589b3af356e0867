import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import type { ToolMock } from "@parley/contract";
import type { DialogueTool } from "@parley/conversation";
import { createArgumentCheck } from "./argument-check.ts";
import { isObject } from "./json-schema.ts";

/** Whether a call's arguments are the expected ones: all of them (`exact`), or at least these, also within objects. */
export function matchesArguments(
  given: unknown,
  { arguments: expected = {}, match = "partial" }: Pick<ToolMock, "arguments" | "match">,
): boolean {
  return match === "exact" ? isDeepStrictEqual(given, expected) : contains(given, expected);
}

function contains(given: unknown, expected: unknown): boolean {
  if (!isObject(expected)) return isDeepStrictEqual(given, expected);
  if (!isObject(given)) return false;
  const values: Readonly<Record<string, unknown>> = { ...given };
  return Object.entries(expected).every(
    ([name, value]) => Object.hasOwn(values, name) && contains(values[name], value),
  );
}

/**
 * Returns the tool with answers in place of its execution; unchanged if it has no mock. Each mock of each dialogue gives its
 * answers in turn. Invalid arguments fail as they do without a mock.
 */
export function withMocks(tool: DialogueTool, mocks: readonly ToolMock[]): DialogueTool {
  const own = mocks.filter(({ toolName }) => toolName === tool.name).map((mock) => ({ mock, calls: 0 }));
  if (own.length === 0) return tool;
  const check = createArgumentCheck(tool.inputSchema);
  return {
    ...tool,
    execute: async (input, { signal }) => {
      const problems = check(input);
      if (problems.length > 0) throw new Error(`invalid arguments: ${problems.join("; ")}`);
      const found = own.find(({ mock }) => matchesArguments(input, mock));
      if (found === undefined) throw new Error("no mock of this tool matches these arguments");
      const answer = found.mock.answers[Math.min(found.calls++, found.mock.answers.length - 1)];
      if (answer?.delayMs !== undefined) await sleep(answer.delayMs, undefined, { signal });
      if (answer?.isError === true) throw new Error(answer.text);
      return answer?.text === "" ? undefined : answer?.text;
    },
  };
}
