import type { FastifyInstance, FastifyRequest } from "fastify";
import { MAX_JSON_VALUES } from "@parley/contract";
import { AppError, invalidBody } from "../app-error.ts";
import { hasMoreValues } from "./json-values.ts";
import { parseInSlices, TooManyValuesError } from "./sliced-json.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Default: `MAX_JSON_VALUES`. */
    maxJsonValues?: number;
  }
}

/** RFC 8259 §8.1 requires UTF-8. A byte order mark is ignored. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Longer bodies are parsed in slices. */
const LONG_CHARACTERS = 256 * 1024;

const charsetPattern = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Makes JSON in UTF-8 the content type of bodies. Routes with a file take multipart bodies instead (`acceptFiles`). */
export function acceptOnlyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  const parseSafely = (request: FastifyRequest, json: string): unknown => {
    let parsed: unknown;
    void parseJson(request, json, (error, value) => {
      if (error !== null) throw explainRefusal(json);
      parsed = value;
    });
    return parsed;
  };
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      const { filePart } = request.routeOptions.config;
      if (filePart !== undefined)
        throw new AppError("unsupported_media_type", {
          message: `Send the body as multipart/form-data, with the file in the part ${filePart.part}.`,
        });
      const text = decode(body)?.trim();
      if (text === undefined) throw invalidBody("", "must be UTF-8");
      // Some clients send the JSON content type even without a body.
      if (text === "") return {};
      // The framework treats null as a missing body.
      if (text === "null") throw invalidBody("", "must be an object");
      // The time of checking a body grows with its number of values: 70,000 of them blocked everything else for 300 ms.
      const { maxJsonValues = MAX_JSON_VALUES } = request.routeOptions.config;
      const parse = (json: string): unknown => parseSafely(request, json);
      if (text.length > LONG_CHARACTERS) return await parseLong(text, maxJsonValues, parse);
      if (hasMoreValues(text, maxJsonValues)) throw tooManyValues(maxJsonValues);
      return parse(text);
    },
  );
}

/** Lets other work of the process run meanwhile. */
async function parseLong(text: string, most: number, parse: (json: string) => unknown): Promise<unknown> {
  try {
    return await parseInSlices(text, most, parse);
  } catch (error) {
    if (error instanceof TooManyValuesError) throw tooManyValues(most);
    if (error instanceof SyntaxError) throw invalidBody("", `must be valid JSON: ${error.message}`);
    throw error;
  }
}

function tooManyValues(most: number): AppError {
  return invalidBody("", `must have at most ${most} values`);
}

/** Explains why the framework's parser rejects a text. */
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
