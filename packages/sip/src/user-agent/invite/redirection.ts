import { parseUri } from "../../grammar/uri.ts";
import type { HeaderList } from "../../messages/header-list.ts";
import { addressesOf } from "../../messages/message.ts";

/** The redirect targets of one call (RFC 3261 §8.1.3.4), each tried once. */
export class RedirectTargets {
  readonly #maxTargets: number;
  readonly #isAllowed: (uri: string) => boolean;
  /** Every target named so far, so that two servers cannot redirect a call in a loop. */
  readonly #seen: Set<string>;
  #waiting: { uri: string; preference: number }[] = [];
  #takenCount = 0;

  /** @param isAllowed false for a target that the application does not allow. */
  constructor(firstUri: string, maxTargets: number, isAllowed: (uri: string) => boolean) {
    this.#seen = new Set([comparable(firstUri)]);
    this.#maxTargets = maxTargets;
    this.#isAllowed = isAllowed;
  }

  /** Adds the Contacts of a 3xx, ordered by `q`; targets that cannot be called are omitted. */
  add(headers: HeaderList): void {
    for (const { uri: written, parameters } of addressesOf(headers, "contact") ?? []) {
      // A stranger must not add header fields to our request through the URI.
      const uri = written.split("?", 1)[0] ?? "";
      const key = comparable(uri);
      const scheme = parseUri(uri)?.scheme;
      if ((scheme !== "sip" && scheme !== "sips") || this.#seen.has(key)) continue;
      if (this.#seen.size > this.#maxTargets || !this.#isAllowed(uri)) continue;
      this.#seen.add(key);
      const preference = Number(parameters.get("q") ?? 1);
      this.#waiting.push({ uri, preference: Number.isFinite(preference) ? preference : 0 });
    }
    this.#waiting.sort((left, right) => right.preference - left.preference);
  }

  /** The next target, or `undefined` if there are no more or enough have been tried. */
  next(): string | undefined {
    if (this.#takenCount >= this.#maxTargets) return undefined;
    this.#takenCount++;
    return this.#waiting.shift()?.uri;
  }
}

function comparable(uri: string): string {
  const parsed = parseUri(uri);
  if (parsed === undefined || parsed.scheme === "tel") return uri;
  return `${parsed.scheme}:${parsed.user ?? ""}@${parsed.host.toLowerCase()}:${parsed.port ?? ""}`;
}
