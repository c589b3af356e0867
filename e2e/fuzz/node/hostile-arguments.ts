/**
 * A language model's arguments of tool calls, used in turn. Each is validated against an equally hostile
 * schema.
 */
const candidates: readonly (() => Record<string, unknown>)[] = [
  () => ({}),
  () => ({ value: `${"a".repeat(20_000)}!` }),
  () => ({ value: deep(2_000) }),
  () => Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, index])),
  () => ({ value: Array.from({ length: 20_000 }, (_, index) => index % 7) }),
];

export function hostileArguments(turn: number): Record<string, unknown> {
  return candidates[turn % candidates.length]?.() ?? {};
}

function deep(levels: number): unknown {
  let value: unknown = "end";
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}
