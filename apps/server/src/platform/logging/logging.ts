import { type DestinationStream, type Logger, pino } from "pino";

/** What must not stand in a log: who called, what was said, what opens doors. */
const redactedKeys = `
  phoneNumber fromNumber toNumber e164 from to callerId
  text transcript instructions promptTemplate firstMessage variables dtmf
  password secret token apiKey key authorization authToken credentials cookie connectionString
`
  .trim()
  .split(/\s+/);

/** Each at the top and one and two levels down. */
const redactedPaths = [
  ...redactedKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
  ...['["x-api-key"]', '["set-cookie"]'].flatMap((key) => [key, `*${key}`, `*.*${key}`]),
];

export interface LoggerOptions {
  level: string;
  /** Default: standard output. */
  destination?: DestinationStream;
}

/** Structured logs, one JSON object a line. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: "[redacted]" },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
