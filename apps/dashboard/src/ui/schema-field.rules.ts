/** What a JSON Schema of the contract says about a field, for the people who fill it in. */

/** The keywords that the contract uses. */
export interface FieldSchema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  anyOf?: readonly FieldSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  items?: FieldSchema;
  maxItems?: number;
  examples?: readonly (string | object)[];
}

/** Short forms in names of fields. */
const meanings: Readonly<Record<string, string>> = {
  Url: "URL",
  Llm: "Language model",
  Stt: "Speech recognition",
  Id: "ID",
  Sip: "SIP",
  Sms: "SMS",
};
const units: Readonly<Record<string, string>> = { Ms: "ms", Seconds: "seconds", Days: "days" };

/** The schema without null, and whether null is allowed. */
export function withoutNull(schema: FieldSchema): { schema: FieldSchema; isNullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    const { length } = schema.type;
    const values = schema.enum?.filter((value) => value !== null);
    return {
      schema: {
        ...schema,
        type: types.length === 1 ? (types[0] ?? "string") : types,
        ...(values && { enum: values }),
      },
      isNullable: types.length < length,
    };
  }
  const choices = schema.anyOf?.filter(({ type }) => type !== "null");
  const [only] = choices ?? [];
  if (choices?.length !== 1 || only === undefined) return { schema, isNullable: false };
  const { anyOf: _anyOf, ...rest } = schema;
  return { schema: { ...only, ...rest }, isNullable: true };
}

/** A name such as `firstMessageDelayMs` as words: "First message delay". */
export function labelOf(name: string): string {
  const words = name.split(/(?=[A-Z])|_/).filter((word) => word !== "");
  const kept =
    words.length > 1 && words.at(-1) !== undefined && (words.at(-1) ?? "") in units
      ? words.slice(0, -1)
      : words;
  return kept.map((word, index) => writeWord(word, index === 0)).join(" ");
}

function writeWord(word: string, isFirst: boolean): string {
  const capital = `${word[0]?.toUpperCase() ?? ""}${word.slice(1)}`;
  const meaning = meanings[capital];
  if (meaning === undefined) return isFirst ? capital : word.toLowerCase();
  const isAcronym = meaning === meaning.toUpperCase();
  return isFirst || isAcronym ? meaning : meaning.toLowerCase();
}

/** A description of the reference in the words of the form: fields by their labels, empty instead of null. */
export function explain(description = ""): string {
  return description
    .replaceAll(/`([a-z]+[A-Z]\w*)`/g, (_code, name: string) => `“${labelOf(name)}”`)
    .replaceAll("`", "")
    .replaceAll(/\bNull\b/g, "Empty");
}

/** Unit that a name ends with; `undefined` if it has none. */
export function unitOf(name: string): string | undefined {
  return units[name.split(/(?=[A-Z])/).at(-1) ?? ""];
}

/** "From 1 to 60. Default: 10.", as far as it applies. */
export function describeLimits(schema: FieldSchema, initial: unknown): string {
  const { minimum, maximum } = schema;
  const range = minimum === undefined || maximum === undefined ? "" : `From ${minimum} to ${maximum}.`;
  const isShort = ["string", "number", "boolean"].includes(typeof initial) && String(initial).length <= 40;
  const shown = typeof initial === "boolean" ? (initial ? "on" : "off") : String(initial);
  return [range, isShort && initial !== "" ? `Default: ${shown}.` : ""]
    .filter((part) => part !== "")
    .join(" ");
}

/** What is wrong with a value; `undefined` if nothing is. The API checks again, and more. */
export function findFault(declared: FieldSchema, value: unknown): string | undefined {
  const { schema, isNullable } = withoutNull(declared);
  if (value === null || value === undefined) return isNullable ? undefined : "is required";
  if (schema.enum !== undefined)
    return schema.enum.includes(value) ? undefined : `must be one of ${schema.enum.join(", ")}`;
  if (schema.type === "integer" || schema.type === "number") return findNumberFault(schema, value);
  if (schema.type === "string") return findTextFault(schema, value);
  if (schema.type === "array" && Array.isArray(value)) return findListFault(schema, value);
  return undefined;
}

function findNumberFault({ type, minimum, maximum }: FieldSchema, value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  return undefined;
}

function findTextFault(
  { minLength = 0, maxLength = Infinity, pattern, examples }: FieldSchema,
  value: unknown,
) {
  if (typeof value !== "string") return "must be text";
  const { length } = Array.from(value);
  if (length < minLength) return length === 0 ? "is required" : `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters, and has ${length}`;
  if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) {
    const example = examples?.[0];
    if (pattern === "\\S") return "must not be blank";
    if (pattern.startsWith("^https?:")) return "must be an address that begins with https:// or http://";
    return example === undefined ? "is not in the right form" : `must look like ${JSON.stringify(example)}`;
  }
  return undefined;
}

function findListFault(
  { items, maxItems = Infinity }: FieldSchema,
  value: readonly unknown[],
): string | undefined {
  if (value.length > maxItems) return `must have at most ${maxItems} entries`;
  if (items === undefined) return undefined;
  const faulty = value.find((item) => findFault(items, item) !== undefined);
  return faulty === undefined ? undefined : `${JSON.stringify(faulty)} ${findFault(items, faulty) ?? ""}`;
}
