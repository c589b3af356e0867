import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../../platform/app-error.ts";
import { refusalOf } from "./auth-refusals.rules.ts";
import { CLIENT_ADDRESS_HEADER } from "./auth-headers.ts";

/** The part of a request that the library reads: cookies, browser and address. */
export function libraryHeaders(
  headers: Pick<IncomingHttpHeaders, "cookie" | "user-agent">,
  address: string,
): Headers {
  const { cookie, "user-agent": userAgent } = headers;
  return new Headers({
    ...(cookie !== undefined && { cookie }),
    ...(userAgent !== undefined && { "user-agent": userAgent.slice(0, 512) }),
    [CLIENT_ADDRESS_HEADER]: address,
  });
}

/** The header `Cookie` of a browser that received these headers `Set-Cookie`. */
export function cookieHeaderOf(setCookies: readonly string[]): string {
  return setCookies.map((each) => each.split(";", 1)[0]).join("; ");
}

export interface LibraryAnswer {
  body: Readonly<Record<string, unknown>>;
  cookies: readonly string[];
}

/** Reads an answer of the library. Throws an `AppError` if it refuses. */
export async function readAnswer(response: Response): Promise<LibraryAnswer> {
  const text = await response.text();
  const parsed: unknown = text === "" ? {} : JSON.parse(text);
  const body = typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  if (response.ok) return { body, cookies: response.headers.getSetCookie() };
  const { code, message } = body as { code?: unknown; message?: unknown };
  throw (
    refusalOf(response.status, String(code)) ??
    new AppError("internal", {
      cause: new Error(`better-auth: ${response.status} ${String(code)} ${String(message)}`),
    })
  );
}
