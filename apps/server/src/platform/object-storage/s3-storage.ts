import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { AwsV4Signer } from "aws4fetch";
import { type Dispatcher, request } from "undici";
import { forbidInTransaction } from "../database/transaction-scope.ts";
import { contentTypeOf, isObjectKey, type ObjectStorage } from "./object-storage.ts";

export interface S3StorageOptions {
  /** `https://s3.eu-central-1.amazonaws.com`, or another S3-compatible server. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const PUT_DEADLINE_MS = 300_000;
const READ_DEADLINE_MS = 60_000;
const DELETE_DEADLINE_MS = 30_000;
/** Maximum of Signature Version 4. */
const MAX_LINK_SECONDS = 7 * 24 * 3600;
const MAX_ERROR_CHARACTERS = 300;

/** Bucket of S3 or an S3-compatible server. Addresses buckets by path, which every server supports. */
export class S3Storage implements ObjectStorage {
  readonly isShared = true;
  readonly #options: S3StorageOptions;

  constructor(options: S3StorageOptions) {
    this.#options = options;
  }

  async putFile(key: string, file: string, signal: AbortSignal): Promise<void> {
    forbidInTransaction("object storage");
    const [{ size }, hash] = [await stat(file), await hashFile(file, signal)];
    // The server rejects content that changed in transit.
    const described = { "content-type": contentTypeOf(key), "x-amz-content-sha256": hash };
    const { url, headers } = await this.#signer("PUT", this.#urlOf(key), { headers: described }).sign();
    const response = await request(url, {
      method: "PUT",
      headers: { ...Object.fromEntries(headers), "content-length": String(size) },
      body: createReadStream(file),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PUT_DEADLINE_MS)]),
    });
    await requireSuccess(response);
  }

  async read(key: string, signal: AbortSignal): Promise<Uint8Array> {
    forbidInTransaction("object storage");
    const described = { "x-amz-content-sha256": createHash("sha256").digest("hex") };
    const { url, headers } = await this.#signer("GET", this.#urlOf(key), { headers: described }).sign();
    const response = await request(url, {
      method: "GET",
      headers: Object.fromEntries(headers),
      signal: AbortSignal.any([signal, AbortSignal.timeout(READ_DEADLINE_MS)]),
    });
    if (response.statusCode !== 200) throw await refusalOf(response);
    return await response.body.bytes();
  }

  async delete(key: string, signal: AbortSignal): Promise<void> {
    forbidInTransaction("object storage");
    const described = { "x-amz-content-sha256": createHash("sha256").digest("hex") };
    const { url, headers } = await this.#signer("DELETE", this.#urlOf(key), { headers: described }).sign();
    const response = await request(url, {
      method: "DELETE",
      headers: Object.fromEntries(headers),
      signal: AbortSignal.any([signal, AbortSignal.timeout(DELETE_DEADLINE_MS)]),
    });
    await requireSuccess(response);
  }

  async linkTo(key: string, expiresAt: Date): Promise<string> {
    const url = this.#urlOf(key);
    // An expired link is signed with its time of expiry.
    const signedAtMs = Math.min(Date.now(), expiresAt.getTime() - 1000);
    const seconds = Math.floor((expiresAt.getTime() - signedAtMs) / 1000);
    url.searchParams.set("X-Amz-Expires", String(Math.min(seconds, MAX_LINK_SECONDS)));
    return String((await this.#signer("GET", url, { signQuery: true, signedAtMs }).sign()).url);
  }

  #urlOf(key: string): URL {
    if (!isObjectKey(key)) throw new Error(`"${key}" is no key of an object`);
    return new URL(`${this.#options.endpoint}/${this.#options.bucket}/${key}`);
  }

  /** Signs either the headers or the URL. */
  #signer(
    method: string,
    url: URL,
    how: { headers: Record<string, string> } | { signQuery: true; signedAtMs: number },
  ): AwsV4Signer {
    const { region, accessKeyId, secretAccessKey } = this.#options;
    const credentials = { service: "s3", region, accessKeyId, secretAccessKey };
    const signed =
      "headers" in how
        ? { headers: how.headers, allHeaders: true }
        : { signQuery: true, datetime: basicTime(how.signedAtMs) };
    return new AwsV4Signer({ method, url: String(url), ...credentials, ...signed });
  }
}

async function requireSuccess(response: Dispatcher.ResponseData): Promise<void> {
  // A DELETE is answered with 204, whether or not the object existed.
  if (response.statusCode !== 200 && response.statusCode !== 204) throw await refusalOf(response);
  await response.body.dump();
}

async function refusalOf({ statusCode, body }: Dispatcher.ResponseData): Promise<Error> {
  const answer = await body.text();
  return new Error(`the object storage answered ${statusCode}: ${answer.slice(0, MAX_ERROR_CHARACTERS)}`);
}

/** ISO 8601 basic format: `20261121T120000Z`. */
function basicTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

async function hashFile(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk);
  return hash.digest("hex");
}
