import { ApiError, ConnectionError } from "@parley/client";
import type { ErrorBody } from "@parley/contract";

const DEADLINE_MS = 30_000;

/** What the sign-in page needs to know. */
export interface AuthSettings {
  hasOwner: boolean;
  isSignedIn: boolean;
  canSendMail: boolean;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** Sends a request to `/auth`, the operations of signed-in people with their own account. Throws as the API's client does. */
export async function auth<T>(method: Method, path: string, body?: object): Promise<T> {
  return (await request<{ data: T }>(method, `/auth${path}`, body)).data;
}

/** Sends a request with the session cookie, for operations that the API's client lacks. Throws as it does. */
export async function request<T extends { data: unknown }>(
  method: Method,
  path: string,
  body?: object,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const response = await send(method, path, body, deadlineMs);
  const answer = (await response.json().catch(() => undefined)) as T | ErrorBody | undefined;
  if (response.ok && answer !== undefined && "data" in answer) return answer;
  const { error, message, details } = (answer ?? {}) as Partial<ErrorBody>;
  const issues = details?.issues ?? [];
  const texts = issues.map(({ path: field, message: fault }) => (field === "" ? fault : `${field} ${fault}`));
  throw new ApiError(texts.join("; ") || (message ?? `The server answered with status ${response.status}.`), {
    code: error ?? "unexpected_answer",
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    issues,
    retryAfterMs: undefined,
  });
}

async function send(
  method: string,
  path: string,
  body: object | undefined,
  deadlineMs: number,
): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(deadlineMs),
    });
  } catch (cause) {
    throw new ConnectionError("network", { cause });
  }
}
