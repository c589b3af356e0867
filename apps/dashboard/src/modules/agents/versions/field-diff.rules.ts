/** Differences between two configurations of an agent, field by field. */
import { labelOf, unitOf } from "../../../ui/schema-field.rules.ts";
import { type DiffLine, diffTexts } from "./text-diff.rules.ts";

/** Longer texts are compared by line and word. */
const MAX_SHORT_CHARACTERS = 40;
/** Maps whose keys are the user's own names. */
const namedMaps = new Set(["defaultVariables", "testVariables", "headers", "queryParams", "variables"]);
/** Set by the server with every change. */
const ignoredNames = new Set(["id", "createdAt", "updatedAt"]);

type Fields = Readonly<Record<string, unknown>>;

export interface FieldDiff {
  /** Labels from the field down to the value. */
  path: readonly string[];
  change: { kind: "value"; before: string; after: string } | { kind: "text"; lines: readonly DiffLine[] };
}

/** Returns the differences of the fields, except those in `without`. */
export function diffFields(before: Fields, after: Fields, without: readonly string[] = []): FieldDiff[] {
  return namesOf(before, after)
    .filter((name) => !without.includes(name))
    .flatMap((name) => diffValue(before[name], after[name], [labelOf(name)], name));
}

function diffValue(before: unknown, after: unknown, path: readonly string[], name: string): FieldDiff[] {
  if (sortedJson(before) === sortedJson(after)) return [];
  if (isMap(before) && isMap(after)) return diffMaps(before, after, path, namedMaps.has(name));
  if (isListOfNamed(before) && isListOfNamed(after))
    return diffMaps(byName(before), byName(after), path, true);
  const texts = [textOf(before, name), textOf(after, name)] as const;
  const isShort = texts.every((text) => text.length <= MAX_SHORT_CHARACTERS && !text.includes("\n"));
  if (isShort) return [{ path, change: { kind: "value", before: texts[0], after: texts[1] } }];
  return [{ path, change: { kind: "text", lines: diffTexts(...texts) } }];
}

/** @param isOfUser Whether the keys are the user's own names, and are shown as they are. */
function diffMaps(before: Fields, after: Fields, path: readonly string[], isOfUser: boolean): FieldDiff[] {
  return namesOf(before, after)
    .filter((key) => isOfUser || !ignoredNames.has(key))
    .flatMap((key) => diffValue(before[key], after[key], [...path, isOfUser ? key : labelOf(key)], key));
}

const namesOf = (before: Fields, after: Fields): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the list's entries are told apart by their names, as tools are. */
function isListOfNamed(value: unknown): value is readonly { name: string }[] {
  if (!Array.isArray(value)) return false;
  const names = value.map((each: unknown) => (isMap(each) ? each["name"] : undefined));
  return names.every((each) => typeof each === "string") && new Set(names).size === names.length;
}

const byName = (list: readonly { name: string }[]): Fields =>
  Object.fromEntries(list.map((each) => [each.name, each]));

/** A value as it is read; empty if there is none. */
function textOf(value: unknown, name: string): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "number") return [value, unitOf(name)].filter((part) => part !== undefined).join(" ");
  const isListOfScalars = Array.isArray(value) && value.every((each) => typeof each !== "object");
  return isListOfScalars ? value.map(String).join("\n") : sortedJson(value, 2);
}

/** The database does not preserve the order of keys. */
function sortedJson(value: unknown, indent?: number): string {
  const sort = (_key: string, each: unknown): unknown =>
    isMap(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each;
  return JSON.stringify(value, sort, indent) ?? "";
}
