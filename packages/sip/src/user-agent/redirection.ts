import { parseUri } from "../grammar/uri.ts";
import type { HeaderList } from "../messages/header-list.ts";
import { addressesOf } from "../messages/message.ts";

/** The targets that the redirections of one call have named (RFC 3261 §8.1.3.4), each tried once. */
export class RedirectTargets {
  readonly #maxTargets: number;
  readonly #isAllowed: (uri: string) => boolean;
  /** Every target that was ever named, so that two servers cannot send a call to and fro. */
  readonly #seen: Set<string>;
  #waiting: { uri: string; preference: number }[] = [];
  #takenCount = 0;

  /** @param isAllowed may refuse a target that the application does not want to call. */
  constructor(firstUri: string, maxTargets: number, isAllowed: (uri: string) => boolean) {
    this.#seen = new Set([comparable(firstUri)]);
    this.#maxTargets = maxTargets;
    this.#isAllowed = isAllowed;
  }

  /** Takes in the Contacts of a 3xx, preferred first by `q`; what cannot be called is left out. */
  add(headers: HeaderList): void {
    for (const { uri: written, parameters } of addressesOf(headers, "contact") ?? []) {
      // Header fields in the URI are not for a stranger to put into our request.
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

  /** The next target to try; `undefined` where there is none, or enough have been tried. */
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
