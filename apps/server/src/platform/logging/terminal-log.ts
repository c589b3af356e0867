import type { DestinationStream } from "pino";

const levels: Readonly<Record<string, { word: string; color: number }>> = {
  trace: { word: "TRACE", color: 90 },
  debug: { word: "DEBUG", color: 90 },
  info: { word: "INFO ", color: 32 },
  warn: { word: "WARN ", color: 33 },
  error: { word: "ERROR", color: 31 },
  fatal: { word: "FATAL", color: 31 },
};

/** Log destination: lines for people if standard output is a terminal; otherwise `{}`, JSON for programs. */
export function terminalDestination(): { destination?: DestinationStream } {
  const { stdout, env } = process;
  if (!stdout.isTTY) return {};
  const isColored = !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return { destination: { write: (line) => void stdout.write(formatForTerminal(line, isColored)) } };
}

/**
 * Formats a JSON line of the log as `07:03:05 INFO  message  key=value …`, with an error's stack on lines of its own.
 */
export function formatForTerminal(line: string, isColored: boolean): string {
  const paint = (text: string, color: number): string =>
    isColored ? `\u001B[${color}m${text}\u001B[0m` : text;
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const { word, color } = levels[String(level)] ?? { word: String(level), color: 0 };
  const { message, stack, ...details } =
    typeof err === "object" && err !== null ? { ...err } : ({} as ErrorFields);
  const shown = [
    ...(message === undefined ? [] : [["error", message] as const]),
    ...Object.entries({ ...fields, ...details }),
  ].map(([name, value]) => `${paint(`${name}=`, 90)}${formatValue(value)}`);
  const [clock] = new Date(String(time)).toTimeString().split(" ");
  const text = [
    paint(String(clock), 90),
    paint(word, color),
    printable(typeof msg === "string" ? msg : ""),
    ...shown,
  ].join("  ");
  const frames = typeof stack === "string" ? stack.split("\n").filter((each) => /^\s+at /.test(each)) : [];
  return `${[text, ...frames.map((each) => paint(printable(each), 90))].join("\n")}\n`;
}

interface ErrorFields {
  message?: unknown;
  stack?: unknown;
}

function formatValue(value: unknown): string {
  if (typeof value === "string" && !/[\s"=]/.test(value)) return printable(value);
  return printable(JSON.stringify(value));
}

/** Removes terminal control characters: parts of a log come from the network. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, " ");
}
