import type { FastifyInstance, FastifyRequest } from "fastify";
import { MAX_JSON_VALUES } from "@parley/contract";
import { AppError, invalidBody } from "../app-error.ts";
import { hasMoreValues } from "./json-values.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Default: `MAX_JSON_VALUES`. */
    maxJsonValues?: number;
  }
}

/** RFC 8259 §8.1 requires UTF-8. A byte order mark is ignored. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

const charsetPattern = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Makes JSON in UTF-8 the only accepted content type of bodies. */
export function acceptOnlyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const text = decode(body)?.trim();
    if (text === undefined) return done(invalidBody("", "must be UTF-8"));
    // Some clients send the JSON content type even without a body.
    if (text === "") return done(null, {});
    // The framework treats null as a missing body.
    if (text === "null") return done(invalidBody("", "must be an object"));
    // The time of checking a body grows with its number of values: 70,000 of them blocked everything else for 300 ms.
    const { maxJsonValues = MAX_JSON_VALUES } = request.routeOptions.config;
    if (hasMoreValues(text, maxJsonValues))
      return done(invalidBody("", `must have at most ${maxJsonValues} values`));
    return parseJson(request, text, (error, value) => {
      done(error === null ? null : explainRefusal(text), value);
    });
  });
}

/** Explains why the framework's parser rejects a body. */
function explainRefusal(text: string): AppError {
  try {
    JSON.parse(text);
  } catch (error) {
    return invalidBody("", `must be valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return invalidBody("", "must not contain the name __proto__, or the name constructor with prototype in it");
}

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Throws if the request declares a coding or a charset that would make its bytes another text than they appear to be. */
export function requirePlainBody({ headers }: FastifyRequest): void {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    const message = `The Content-Encoding ${JSON.stringify(coding.slice(0, 64))} is not supported. Send the body uncompressed.`;
    throw new AppError("unsupported_media_type", { message });
  }
  const [, charset] = charsetPattern.exec(headers["content-type"] ?? "") ?? [];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  const message = `The charset ${JSON.stringify(charset.slice(0, 64))} is not supported. Send the body in UTF-8.`;
  throw new AppError("unsupported_media_type", { message });
}
