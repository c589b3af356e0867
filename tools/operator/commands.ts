import { parseArgs } from "node:util";

/** Request to `/operator/v1` of a node. */
export interface OperatorRequest {
  method: "GET" | "POST" | "PATCH";
  url: string;
  apiKey: string;
  body?: object;
}

/** The command line is wrong; the message says how to write it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const usage = `Usage:
  npm run parley -- organizations list [--page 1]
  npm run parley -- organizations create --name NAME [settings]
  npm run parley -- organizations get ID
  npm run parley -- organizations update ID [--name NAME] [settings]

Settings:
  --billing on|off
  --home-country DE            "none" removes it
  --allowed-countries DE,AT    "default" removes the list
  --premium-rate on|off
  --limit agents=20            repeatable; "agents=default" resets it

PARLEY_OPERATOR_API_KEY is the key that the node was started with. --url names another node than that of this machine.`;

const options = {
  url: { type: "string" },
  page: { type: "string" },
  name: { type: "string" },
  billing: { type: "string" },
  "home-country": { type: "string" },
  "allowed-countries": { type: "string" },
  "premium-rate": { type: "string" },
  limit: { type: "string", multiple: true },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>["values"];

/** @throws UsageError */
export function readCommand(words: readonly string[], environment: NodeJS.ProcessEnv): OperatorRequest {
  const { values, positionals } = parse(words);
  const [resource, action = "", id, ...others] = positionals;
  const takesId = action === "get" || action === "update";
  if (resource !== "organizations" || others.length > 0 || (id !== undefined) !== takesId) throw usageError();
  const apiKey = environment["PARLEY_OPERATOR_API_KEY"];
  if (apiKey === undefined || apiKey === "") throw usageError("PARLEY_OPERATOR_API_KEY is not set.");
  const node = values.url ?? `http://127.0.0.1:${environment["PARLEY_HTTP_PORT"] || "8080"}`;
  const collection = `${node.replace(/\/$/, "")}/operator/v1/organizations`;
  const one = `${collection}/${encodeURIComponent(id ?? "")}`;
  switch (action) {
    case "list":
      return { method: "GET", url: `${collection}?page=${encodeURIComponent(values.page ?? "1")}`, apiKey };
    case "get":
      return { method: "GET", url: one, apiKey };
    case "create":
      if (values.name === undefined) throw usageError("--name is required.");
      return { method: "POST", url: collection, apiKey, body: bodyOf(values) };
    case "update":
      return { method: "PATCH", url: one, apiKey, body: bodyOf(values) };
    default:
      throw usageError();
  }
}

function parse(words: readonly string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : undefined);
  }
}

function bodyOf(values: Values): object {
  const { name, billing, limit } = values;
  const country = values["home-country"];
  const countries = values["allowed-countries"];
  const premium = values["premium-rate"];
  return {
    ...(name !== undefined && { name }),
    ...(billing !== undefined && { isBillingActive: readSwitch("billing", billing) }),
    ...(country !== undefined && { homeCountry: country === "none" ? null : country }),
    ...(countries !== undefined && {
      allowedCountries: countries === "default" ? null : countries.split(","),
    }),
    ...(premium !== undefined && { isPremiumRateAllowed: readSwitch("premium-rate", premium) }),
    ...(limit !== undefined && { limits: Object.fromEntries(limit.map(readLimit)) }),
  };
}

function readSwitch(option: string, text: string): boolean {
  if (text !== "on" && text !== "off") throw usageError(`--${option} is on or off.`);
  return text === "on";
}

function readLimit(text: string): [string, number | null] {
  const [, name = "", value = ""] = /^(\w+)=(\d+|default)$/.exec(text) ?? [];
  if (name === "") throw usageError(`--limit is NAME=NUMBER or NAME=default, not ${text}.`);
  return [name, value === "default" ? null : Number(value)];
}

function usageError(problem?: string): UsageError {
  return new UsageError(problem === undefined ? usage : `${problem}\n\n${usage}`);
}
