import { parseArgs } from "node:util";
import type { TestRunStart } from "@parley/client/api";
import { UsageError } from "../operator/commands.ts";

const DEFAULT_TIMEOUT_MINUTES = 60;
const modes = ["chat", "voice", "sms", "web_chat"] as const;

const usage = `Usage:
  npm run parley -- test --suite NAME-OR-ID [options]

Runs a test suite, and waits for its end. The exit status is 0 if all cases passed, 1 if not, 2 if the
command is wrong or the node refuses it, and 130 after Ctrl-C, which cancels the run.

  --suite NAME-OR-ID           repeatable
  --environment NAME           default: the saved draft; "production" is the published revision
  --mode ${modes.join("|")}
  --variable NAME=VALUE        repeatable; true, false, null and numbers are read as such
  --name NAME                  name of the run
  --junit FILE                 writes the results as JUnit XML
  --summary FILE               writes the results as Markdown
  --timeout MINUTES            cancels the run after this time; default ${DEFAULT_TIMEOUT_MINUTES}
  --url URL                    address of a node; default PARLEY_URL, or that of this machine
  --api-key KEY                default PARLEY_API_KEY`;

const options = {
  suite: { type: "string", multiple: true },
  environment: { type: "string" },
  mode: { type: "string" },
  variable: { type: "string", multiple: true },
  name: { type: "string" },
  junit: { type: "string" },
  summary: { type: "string" },
  timeout: { type: "string" },
  url: { type: "string" },
  "api-key": { type: "string" },
} as const;

export interface TestCommand {
  baseUrl: string;
  apiKey: string;
  /** Names or ids. */
  suites: readonly string[];
  start: TestRunStart;
  junit: string | undefined;
  summary: string | undefined;
  timeoutMs: number;
}

/** @throws UsageError */
export function readTestCommand(words: readonly string[], environment: NodeJS.ProcessEnv): TestCommand {
  const values = parse(words);
  const { suite: suites = [], mode, name, variable = [] } = values;
  if (suites.length === 0) throw usageError("--suite is required.");
  const apiKey = values["api-key"] ?? environment["PARLEY_API_KEY"];
  if (apiKey === undefined || apiKey === "")
    throw usageError("Give an API key by PARLEY_API_KEY or --api-key.");
  const chosen = modes.find((each) => each === mode);
  if (mode !== undefined && chosen === undefined) throw usageError(`--mode is one of ${modes.join(", ")}.`);
  const minutes = Number(values.timeout ?? DEFAULT_TIMEOUT_MINUTES);
  if (!(minutes > 0 && minutes <= 24 * 60))
    throw usageError("--timeout is a number of minutes, at most 1440.");
  const node =
    values.url ??
    (environment["PARLEY_URL"] || `http://127.0.0.1:${environment["PARLEY_HTTP_PORT"] || "8080"}`);
  return {
    baseUrl: `${node.replace(/\/$/, "")}/v1`,
    apiKey,
    suites,
    start: {
      environment: values.environment ?? null,
      variables: Object.fromEntries(variable.map(readVariable)),
      ...(chosen !== undefined && { mode: chosen }),
      ...(name !== undefined && { name }),
    },
    junit: values.junit,
    summary: values.summary,
    timeoutMs: minutes * 60_000,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : undefined);
  }
}

function readVariable(text: string): [string, string | number | boolean | null] {
  const at = text.indexOf("=");
  if (at < 1) throw usageError(`--variable is NAME=VALUE, not ${text}.`);
  const value = text.slice(at + 1);
  const isLiteral = /^(true|false|null|-?(0|[1-9]\d{0,14})(\.\d{1,10})?)$/.test(value);
  return [text.slice(0, at), isLiteral ? (JSON.parse(value) as number | boolean | null) : value];
}

function usageError(problem?: string): UsageError {
  return new UsageError(problem === undefined ? usage : `${problem}\n\n${usage}`);
}
