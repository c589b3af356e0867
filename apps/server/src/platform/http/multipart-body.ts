import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import type { Issue, RouteFile } from "@parley/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError, invalidBody } from "../app-error.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The file of a multipart body. Default: bodies are JSON. */
    filePart?: RouteFile;
  }
  interface FastifyRequest {
    /** File of a multipart body. */
    file: Uint8Array | undefined;
  }
}

const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 16 * 1024;
const tooManyParts: Issue = { path: "", message: `must have one file and at most ${MAX_FIELDS} other parts` };

/** Accepts multipart bodies (RFC 7578) on routes with a file: their texts become the body, their file the request's. */
export function acceptFiles(app: FastifyInstance): void {
  app.decorateRequest("file", undefined);
  app.addContentTypeParser(
    "multipart/form-data",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      const { filePart } = request.routeOptions.config;
      if (filePart === undefined) throw new AppError("unsupported_media_type");
      const { fields, file } = await readParts(body, request.headers["content-type"] ?? "", filePart);
      request.file = file;
      return fields;
    },
  );
}

interface Parts {
  fields: Record<string, string>;
  file: Uint8Array | undefined;
}

async function readParts(body: Buffer, contentType: string, filePart: RouteFile): Promise<Parts> {
  requireFewParts(body, contentType);
  const fields = new Map<string, string>();
  const issues: Issue[] = [];
  let file: Promise<Uint8Array | undefined> | undefined;
  let isFileTooLarge = false;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const limits = { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, fileSize: filePart.maxBytes };
  const parser = createParser(contentType, limits);
  parser.on("field", (name, value, _nameTruncated, isTruncated) => {
    if (fields.has(name)) issues.push({ path: name, message: "must be sent once" });
    else if (name === filePart.part) issues.push({ path: name, message: "must be a file, with a file name" });
    else if (isTruncated) issues.push({ path: name, message: `must have at most ${MAX_FIELD_BYTES} bytes` });
    else fields.set(name, value);
  });
  parser.on("file", (name, stream) => {
    if (name === filePart.part) file = readFile(stream);
    else {
      issues.push({ path: name, message: "must be text, without a file name" });
      stream.resume();
    }
    stream.on("limit", () => (isFileTooLarge = true));
  });
  const tooMany = (): void => void issues.push(tooManyParts);
  parser.on("filesLimit", tooMany);
  parser.on("fieldsLimit", tooMany);
  parser.on("error", (error) => reject(unreadable(error)));
  parser.on("finish", resolve);
  parser.end(body);
  await promise;
  const bytes = await file;
  if (isFileTooLarge)
    issues.push({ path: filePart.part, message: `must have at most ${filePart.maxBytes / 1024 / 1024} MiB` });
  if (issues.length > 0) throw new AppError("invalid_body", { issues });
  return { fields: Object.fromEntries(fields), file: bytes };
}

/** Throws before parsing: a million parts block everything else for seconds. */
function requireFewParts(body: Buffer, contentType: string): void {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const delimiter = `--${quoted ?? plain ?? ""}`;
  let delimiters = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    delimiters += 1;
    if (delimiters > MAX_FIELDS + 2) throw new AppError("invalid_body", { issues: [tooManyParts] });
  }
}

function createParser(contentType: string, limits: object): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits });
  } catch (error) {
    throw unreadable(error);
  }
}

async function readFile(stream: BusboyFileStream): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function unreadable(error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error);
  return invalidBody("", `must be a readable multipart body: ${reason}`);
}
