import { setImmediate } from "node:timers/promises";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Characters that are read without a pause: less than a millisecond of work. */
const SLICE_CHARACTERS = 64 * 1024;

/** Parses a whole JSON text. Throws if it is malformed. */
type Parse = (json: string) => unknown;

/** Thrown if a text has more values than are allowed. */
export class TooManyValuesError extends Error {}

/** A long object whose fields are long lists, divided at the commas of these lists. */
interface Outline {
  /** The object with `[n]` in place of each list: its index in `lists`. */
  skeleton: string;
  /** Consecutive parts of each list. */
  lists: string[][];
}

/**
 * Parses a JSON object with long lists, such as ten thousand contacts. Other work of the process runs after each part of the text
 * and of the lists. Equal to parsing the whole: of pieces that are valid JSON, the whole is valid too.
 *
 * @throws {TooManyValuesError} if the text has more than about `most` values.
 */
export async function parseInSlices(json: string, most: number, parse: Parse): Promise<unknown> {
  const { skeleton, lists } = await outline(json, most);
  const body = parse(skeleton);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  for (const [name, value] of Object.entries(body)) {
    if (!Array.isArray(value)) continue;
    const parts = lists[Number(value[0])] ?? [];
    Object.assign(body, { [name]: await parseList(parts, parse) });
  }
  return body;
}

async function parseList(parts: readonly string[], parse: Parse): Promise<unknown[]> {
  const items: unknown[] = [];
  for (const part of parts) {
    const parsed = parse(`[${part}]`);
    if (!Array.isArray(parsed)) throw new SyntaxError("a list was expected");
    // A comma has an item on both sides.
    if (parsed.length === 0 && parts.length > 1) throw new SyntaxError("an item is missing in a list");
    for (const item of parsed) items.push(item);
    await setImmediate();
  }
  return items;
}

/** Reads each character once. Accepts any text: the parser rejects malformed JSON. */
async function outline(json: string, most: number): Promise<Outline> {
  const lists: string[][] = [];
  const isObject = json.charCodeAt(0) === OPEN_BRACE;
  let skeleton = "";
  let copied = 0;
  let depth = 0;
  let values = 0;
  let isText = false;
  /** The list that is being read, and where its current part begins. */
  let parts: string[] | undefined;
  let partStart = 0;
  let pauseAt = SLICE_CHARACTERS;
  for (let at = 0; at < json.length; at++) {
    if (at >= pauseAt) {
      pauseAt = at + SLICE_CHARACTERS;
      await setImmediate();
    }
    const code = json.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++values > most) throw new TooManyValuesError();
      depth++;
      if (code === OPEN_BRACE || depth !== 2 || !isObject) continue;
      parts = [];
      partStart = at + 1;
      skeleton += `${json.slice(copied, partStart)}${lists.length}`;
      lists.push(parts);
    } else if (code === COMMA) {
      if (++values > most) throw new TooManyValuesError();
      if (depth !== 2 || parts === undefined || at - partStart < SLICE_CHARACTERS) continue;
      parts.push(json.slice(partStart, at));
      partStart = at + 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
      if (depth !== 1 || parts === undefined) continue;
      parts.push(json.slice(partStart, at));
      parts = undefined;
      copied = at;
    }
  }
  // A list without an end: the skeleton has none either.
  if (parts !== undefined) copied = json.length;
  return { skeleton: skeleton + json.slice(copied), lists };
}
