import type { MemberRole } from "@parley/contract";
import { waitFor } from "@parley/testing";
import type { Platform } from "../platform/platform.ts";

const PASSWORD = "correct horse battery";

/** A person who is signed in by a session cookie. */
export interface Person {
  cookie: string;
  /** Sends a request as their browser does. Returns the data of the answer. */
  send: <T>(method: string, path: string, body?: object) => Promise<T>;
}

/** The server's own origin, as in its links: a cookie belongs to one host. */
export function originOf({ httpPort }: Platform): string {
  return `http://localhost:${httpPort}`;
}

/** Signs the owner up by the link that the first start prints. The owner is also operator. */
export async function signUpOwner(platform: Platform): Promise<Person> {
  const token = await waitFor(
    "the link to sign up",
    () => /\/sign-up#token=(\S+)/.exec(platform.output)?.[1],
  );
  return await enter(platform, "/auth/sign-up", {
    token,
    name: "Ada Lovelace",
    email: "ada@example.com",
    password: PASSWORD,
    organizationName: "Model railway club",
  });
}

/** Invites a person to the owner's organization, who joins. */
export async function join(
  platform: Platform,
  owner: Person,
  name: string,
  role: MemberRole,
): Promise<Person> {
  const invitation = { email: `${name.toLowerCase()}@example.com`, role };
  const { link } = await owner.send<{ link: string }>("POST", "/v1/invitations", invitation);
  const token = new URL(link).hash.replace("#token=", "");
  return await enter(platform, "/auth/invitation/accept", { token, name, password: PASSWORD });
}

async function enter(platform: Platform, path: string, body: object): Promise<Person> {
  const origin = originOf(platform);
  const send = async (method: string, url: string, given: object | undefined, cookie = "") => {
    const response = await fetch(`${origin}${url}`, {
      method,
      headers: {
        origin,
        ...(cookie !== "" && { cookie }),
        ...(given !== undefined && { "content-type": "application/json" }),
      },
      ...(given !== undefined && { body: JSON.stringify(given) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url} was answered ${response.status}: ${text}`);
    return { response, data: (JSON.parse(text) as { data: unknown }).data };
  };
  const { response } = await send("POST", path, body);
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0])
    .join("; ");
  return {
    cookie,
    send: async <T>(method: string, url: string, given?: object) =>
      (await send(method, url, given, cookie)).data as T,
  };
}
