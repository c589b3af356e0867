import { errorMessage } from "@parley/conversation/error-message";
import { type VariableName, variables } from "./variables.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names whose default in the table of variables is a value like `Default`. */
type NameWithDefault<Default extends string> = {
  [Name in VariableName]: (typeof variables)[Name] extends { default: Default } ? Name : never;
}[VariableName];

const webProtocols = ["https:", "http:"];

/** Reads variables by name and collects their problems. An empty value counts as not set. */
export class EnvironmentReader {
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  report(problem: string): void {
    this.problems.push(problem);
  }

  text(name: VariableName): string | undefined {
    const value = this.#environment[name]?.trim();
    return value === "" ? undefined : value;
  }

  textOrDefault(name: NameWithDefault<string>): string {
    return this.text(name) ?? variables[name].default;
  }

  /** Returns an empty text and reports the problem if the variable is missing. */
  requiredText(name: VariableName, because: string): string {
    const value = this.text(name);
    if (value === undefined) this.report(`${name} is required with ${because}`);
    return value ?? "";
  }

  /** `convert` throws the problem, as a text that follows the variable's name. */
  parse<T>(name: VariableName, convert: (value: string) => T): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    try {
      return convert(value);
    } catch (error) {
      this.report(`${name} ${errorMessage(error)}`);
      return undefined;
    }
  }

  parseOrDefault<T>(name: NameWithDefault<string>, convert: (value: string) => T): T {
    return this.parse(name, convert) ?? convert(variables[name].default);
  }

  integer(name: NameWithDefault<`${number}`>, minimum: number, maximum: number): number {
    return this.parseOrDefault(name, integerWithin(minimum, maximum));
  }

  boolean(name: NameWithDefault<"true" | "false">): boolean {
    return this.parseOrDefault(name, parseBoolean);
  }

  oneOf<const T extends string>(name: NameWithDefault<T>, values: readonly T[]): T {
    return this.parseOrDefault(name, (value) => {
      const found = values.find((each) => each === value);
      if (found !== undefined) return found;
      throw new Error(`must be one of ${values.join(", ")}, not "${value}"`);
    });
  }

  /** Returns the URL without a trailing slash. */
  url(name: VariableName, protocols: readonly string[] = webProtocols): string | undefined {
    return this.parse(name, (value) => {
      // The message does not repeat the value: it can contain a password.
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol))
        return value.replace(/\/+$/, "");
      throw new Error(`must be a URL that starts with ${protocols.map((each) => `${each}//`).join(" or ")}`);
    });
  }

  /** URL of an API over HTTP and WebSocket. */
  streamingUrl(name: VariableName): string | undefined {
    return this.url(name, [...webProtocols, "wss:", "ws:"]);
  }
}

/** Both limits are included. */
export function integerWithin(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
    throw new Error(`must be a whole number from ${minimum} to ${maximum}, not "${value}"`);
  };
}

function parseBoolean(value: string): boolean {
  if (value === "true" || value === "false") return value === "true";
  throw new Error(`must be true or false, not "${value}"`);
}
