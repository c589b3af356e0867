import { type DestinationStream, type Logger, pino } from "pino";

/** Whatever is logged under these keys, at the top or one or two levels down, is replaced: who called, what was said, what opens doors. */
const redactedKeys = [
  ...["phoneNumber", "fromNumber", "toNumber", "e164", "from", "to", "callerId"],
  ...["text", "transcript", "instructions", "promptTemplate", "firstMessage", "variables", "dtmf"],
  ...["password", "secret", "token", "apiKey", "key", "authorization", "authToken", "credentials", "cookie"],
  ...['["x-api-key"]', '["set-cookie"]', "connectionString"],
];

const redactedPaths = redactedKeys.flatMap((key) => {
  const below = (levels: string): string => (key.startsWith("[") ? `${levels}${key}` : `${levels}.${key}`);
  return [key, below("*"), below("*.*")];
});

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
