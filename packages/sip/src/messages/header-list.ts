import { splitList } from "../grammar/scanner.ts";
import { canonicalHeaderName, printedHeaderName } from "./header-names.ts";

/** Header fields added by an application: values by name; an array becomes several lines. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * The header fields of one message, in order. Names match regardless of case and of compact form
 * (RFC 3261 §7.3.1, §7.3.3).
 */
export class HeaderList {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  /** The first line with this name, unfolded. */
  get(name: string): string | undefined {
    const index = this.#names.indexOf(canonicalHeaderName(name));
    return index === -1 ? undefined : this.#values[index];
  }

  has(name: string): boolean {
    return this.#names.includes(canonicalHeaderName(name));
  }

  /** The number of lines with this name. */
  count(name: string): number {
    const canonical = canonicalHeaderName(name);
    let count = 0;
    for (const each of this.#names) if (each === canonical) count++;
    return count;
  }

  /** Every line with this name, top to bottom. */
  getAll(name: string): string[] {
    const canonical = canonicalHeaderName(name);
    const found: string[] = [];
    let index = this.#names.indexOf(canonical);
    while (index !== -1) {
      found.push(this.#values[index] ?? "");
      index = this.#names.indexOf(canonical, index + 1);
    }
    return found;
  }

  /** Every item of a comma-separated header, in one line or several (§7.3.1). */
  getList(name: string): string[] {
    return this.getAll(name).flatMap(splitList);
  }

  add(name: string, value: string): void {
    this.#names.push(canonicalHeaderName(name));
    this.#values.push(value);
  }

  addAll(fields: HeaderFields): void {
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") this.add(name, value);
      else for (const line of value) this.add(name, line);
    }
  }

  prepend(name: string, value: string): void {
    this.#names.unshift(canonicalHeaderName(name));
    this.#values.unshift(value);
  }

  /** Replaces the first line with this name, or adds one. */
  set(name: string, value: string): void {
    const index = this.#names.indexOf(canonicalHeaderName(name));
    if (index === -1) this.add(name, value);
    else this.#values[index] = value;
  }

  /** A new list of the lines with these names. */
  copyOf(names: readonly string[]): HeaderList {
    const copy = new HeaderList();
    for (const name of names) for (const value of this.getAll(name)) copy.add(name, value);
    return copy;
  }

  /** The lines as sent, each ended by CRLF. */
  format(): string {
    let text = "";
    for (let index = 0; index < this.#names.length; index++) {
      text += `${printedHeaderName(this.#names[index] ?? "")}: ${singleLine(this.#values[index] ?? "")}\r\n`;
    }
    return text;
  }
}

/** Removes line ends, so that a value from an application or a peer cannot inject header fields. */
export function singleLine(value: string): string {
  return /[\r\n]/.test(value) ? value.replace(/[\r\n]+/g, " ") : value;
}
