import type { EnvironmentReader } from "./environment-reader.ts";

/** The OpenTelemetry collector that traces go to. */
export interface OtlpConfig {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
}

export function readOtlp(reader: EnvironmentReader): OtlpConfig | undefined {
  const endpoint = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (endpoint === undefined) return undefined;
  return { endpoint, headers: reader.parse("OTEL_EXPORTER_OTLP_HEADERS", parseHeaders) ?? {} };
}

/** `name=value` pairs between commas, values percent-encoded, as OpenTelemetry's own libraries read them. */
function parseHeaders(value: string): Record<string, string> {
  const pairs = value.split(",").map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  if (pairs.some((pair) => pair === null)) throw new Error("must be name=value, with commas between several");
  return Object.fromEntries(
    pairs.map((pair) => [pair?.[1] ?? "", decodeURIComponent(pair?.[2]?.trim() ?? "")]),
  );
}
