import robotsParser from "robots-parser";

/** Name of the reader in robots.txt and in its requests. */
export const USER_AGENT = "Parley";

/** From the end of one page to the next one, unless robots.txt asks for more. */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** No honest rule is longer. */
const MAX_LINE_LENGTH = 200;
/** The time to compare an address with a rule that has a `*` grows with the product of their lengths. Further ones are ignored. */
const MAX_WILDCARD_RULES = 200;

/** The package's types are those of an ES module, but it is CommonJS: what is imported is the function itself. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** Pages of one origin, and what its robots.txt says about them. */
export class Site {
  readonly #origin: string;
  readonly #robots: ReturnType<typeof parseRobots>;

  /** @param robots Content of robots.txt; empty if there is none. */
  constructor(origin: string, robots: string) {
    let wildcards = 0;
    const isKept = (line: string): boolean =>
      line.length <= MAX_LINE_LENGTH &&
      (!/^\s*(dis)?allow\b.*\*/i.test(line) || ++wildcards <= MAX_WILDCARD_RULES);
    const rules = robots.split(/\r\n|\r|\n/).filter(isKept);
    this.#origin = origin;
    this.#robots = parseRobots(`${origin}/robots.txt`, rules.join("\n"));
  }

  has(url: string): boolean {
    return URL.parse(url)?.origin === this.#origin;
  }

  allows(url: string): boolean {
    return this.#robots.isAllowed(url, USER_AGENT) !== false;
  }

  get pauseMs(): number {
    const askedMs = (this.#robots.getCrawlDelay(USER_AGENT) ?? 0) * 1000;
    return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, askedMs));
  }
}
