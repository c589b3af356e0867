/** Readers of what an address contains after its `?`, for `validateSearch` of routes. What is not valid is left out. */

export type RawSearch = Readonly<Record<string, unknown>>;

/** Page of a list, from 1. `undefined`: the first. */
export function readPage(raw: RawSearch): number | undefined {
  const page = Number(raw["page"]);
  return Number.isInteger(page) && page > 1 ? page : undefined;
}

export function readText(raw: RawSearch, name: string): string | undefined {
  const text = raw[name];
  // The router reads a text of digits as a number.
  return (typeof text === "string" || typeof text === "number") && text !== "" ? String(text) : undefined;
}

export function readChoice<const Choice extends string>(
  raw: RawSearch,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === raw[name]);
}
