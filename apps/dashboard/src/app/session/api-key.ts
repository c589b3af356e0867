const STORED_AS = "parley-api-key";

/** Parameters of a link to the page, after its `#`, which browsers do not send. */
interface LinkParameters {
  apiKey: string | undefined;
  agentId: string | undefined;
  /** Of a link to sign up, to accept an invitation, or to reset a password. */
  token: string | undefined;
}

/** `#key=…&agent=…` or `#token=…`; all optional. */
export function readFragment(fragment: string): LinkParameters {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const read = (name: string): string | undefined => parameters.get(name) || undefined;
  return { apiKey: read("key"), agentId: read("agent"), token: read("token") };
}

/** Reads the link, and takes its secrets out of the address bar and the history. */
export function takeFragment(): LinkParameters {
  const parameters = readFragment(location.hash);
  const isRead = Object.values(parameters).some((value) => value !== undefined);
  if (isRead) history.replaceState(null, "", location.pathname + location.search);
  return parameters;
}

/** For this tab alone. */
export function storedKey(): string | undefined {
  return sessionStorage.getItem(STORED_AS) ?? undefined;
}

export function storeKey(apiKey: string | undefined): void {
  if (apiKey === undefined) sessionStorage.removeItem(STORED_AS);
  else sessionStorage.setItem(STORED_AS, apiKey);
}
