import type { FastifyRequest } from "fastify";
import { AppError } from "../app-error.ts";

/**
 * Rejects a write that a page of another server sends with our cookies. Browsers send `Origin` with every write, and
 * other pages cannot set it. `Host` is accepted beside the public URL: in a browser it names the server whose cookies
 * are sent.
 *
 * @param publicUrl `undefined` if none is configured.
 */
export function requireSameOrigin(
  { method, headers, host }: FastifyRequest,
  publicUrl: string | undefined,
): void {
  if (method === "GET" || method === "HEAD") return;
  const { origin } = headers;
  if (origin !== undefined && isOwnOrigin(origin, host, publicUrl)) return;
  const expected = publicUrl === undefined ? "this server" : new URL(publicUrl).origin;
  throw new AppError("forbidden", {
    message:
      origin === undefined
        ? `A write with the session cookie needs the header Origin, with the value of ${expected}.`
        : `This request comes from a page of ${JSON.stringify(origin.slice(0, 128))}, but the session belongs to ${expected}. Open the page there.`,
  });
}

/** Whether an origin is that of this server. */
export function isOwnOrigin(origin: string, host: string, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { origin: normalized, host: itsHost, protocol } = new URL(origin);
  // Parsed like the origin, which has no default port.
  const ownHost = URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined;
  return itsHost === ownHost || (publicUrl !== undefined && normalized === new URL(publicUrl).origin);
}
