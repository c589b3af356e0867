const STORED_AS = "parley-api-key";

/** Parameters of a link to the page, after its `#`, which browsers do not send. */
interface LinkParameters {
  apiKey: string | undefined;
  agentId: string | undefined;
}

/** `#key=…&agent=…`; both optional. */
export function readFragment(fragment: string): LinkParameters {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  return { apiKey: parameters.get("key") || undefined, agentId: parameters.get("agent") || undefined };
}

/** Reads the link, and takes it out of the address bar and the history. */
export function takeFragment(): LinkParameters {
  const parameters = readFragment(location.hash);
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
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
