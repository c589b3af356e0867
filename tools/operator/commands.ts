import { parseArgs } from "node:util";

/** Request to `/operator/v1` of a node. */
export interface OperatorRequest {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
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
  npm run parley -- organizations invite ID --email EMAIL [--role owner]
  npm run parley -- numbers list [+4930123456] [--organization ID] [--page 1]
  npm run parley -- numbers release ID
  npm run parley -- users reset-password EMAIL
  npm run parley -- users make-operator EMAIL
  npm run parley -- users remove-operator EMAIL
  npm run parley -- test --suite NAME-OR-ID [options]; without a suite: its options

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
  email: { type: "string" },
  role: { type: "string" },
  billing: { type: "string" },
  "home-country": { type: "string" },
  "allowed-countries": { type: "string" },
  "premium-rate": { type: "string" },
  limit: { type: "string", multiple: true },
  organization: { type: "string" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>["values"];

/** @throws UsageError */
export function readCommand(words: readonly string[], environment: NodeJS.ProcessEnv): OperatorRequest {
  const { values, positionals } = parse(words);
  const [resource, action = "", subject, ...others] = positionals;
  if (others.length > 0) throw usageError();
  const request = requestOf(`${resource} ${action}`, subject, values);
  const apiKey = environment["PARLEY_OPERATOR_API_KEY"];
  if (apiKey === undefined || apiKey === "") throw usageError("PARLEY_OPERATOR_API_KEY is not set.");
  const node = values.url ?? `http://127.0.0.1:${environment["PARLEY_HTTP_PORT"] || "8080"}`;
  const { method, path, body } = request;
  const url = `${node.replace(/\/$/, "")}/operator/v1${path}`;
  return { method, url, apiKey, ...(body !== undefined && { body }) };
}

type PathRequest = Pick<OperatorRequest, "method" | "body"> & { path: string };

function requestOf(command: string, subject: string | undefined, values: Values): PathRequest {
  const idOf = (): string => {
    if (subject === undefined) throw usageError("The ID is missing.");
    return encodeURIComponent(subject);
  };
  const emailOf = (): string => {
    if (subject === undefined) throw usageError("The e-mail address is missing.");
    return subject;
  };
  if (subject !== undefined && (command === "organizations list" || command === "organizations create"))
    throw usageError();
  switch (command) {
    case "organizations list":
      return { method: "GET", path: `/organizations?page=${encodeURIComponent(values.page ?? "1")}` };
    case "organizations get":
      return { method: "GET", path: `/organizations/${idOf()}` };
    case "organizations create":
      if (values.name === undefined) throw usageError("--name is required.");
      return { method: "POST", path: "/organizations", body: bodyOf(values) };
    case "organizations update":
      return { method: "PATCH", path: `/organizations/${idOf()}`, body: bodyOf(values) };
    case "organizations invite": {
      if (values.email === undefined) throw usageError("--email is required.");
      const body = { email: values.email, role: values.role ?? "owner" };
      return { method: "POST", path: `/organizations/${idOf()}/invitations`, body };
    }
    case "users reset-password":
      return { method: "POST", path: "/users/password-resets", body: { email: emailOf() } };
    case "users make-operator":
      return { method: "PUT", path: "/users/operators", body: { email: emailOf(), isOperator: true } };
    case "users remove-operator":
      return { method: "PUT", path: "/users/operators", body: { email: emailOf(), isOperator: false } };
    case "numbers list":
      return { method: "GET", path: `/number-claims?${claimQuery(subject, values)}` };
    case "numbers release":
      return { method: "DELETE", path: `/number-claims/${idOf()}` };
    default:
      throw usageError();
  }
}

function claimQuery(e164: string | undefined, { organization, page = "1" }: Values): string {
  const query = new URLSearchParams({ page });
  if (e164 !== undefined) query.set("e164", e164);
  if (organization !== undefined) query.set("organizationId", organization);
  return query.toString();
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
