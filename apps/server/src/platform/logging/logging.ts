import { type DestinationStream, type Logger, pino } from "pino";
import { REDACTED, redact, redactedNames } from "./redact.ts";

export interface LoggerOptions {
  level: string;
  /** Defaults to standard output. */
  destination?: DestinationStream;
}

/** Structured logs, one JSON object per line, without the values that `redact` removes. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redact },
    // Covers the bindings of child loggers, which formatters do not see.
    redact: { paths: [...redactedNames], censor: REDACTED },
    // `redact` has converted errors to plain objects; the standard serializer would treat them as errors again.
    serializers: { err: (error: unknown) => error },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
