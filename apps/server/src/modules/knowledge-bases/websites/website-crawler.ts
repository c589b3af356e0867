import { setTimeout as sleep } from "node:timers/promises";
import type { DocumentType, KnowledgeWebsite } from "@parley/contract";
import { errorMessage } from "@parley/conversation/error-message";
import {
  type OutboundAnswer,
  type OutboundClient,
  OutboundError,
} from "../../../platform/outbound-http/outbound-client.ts";
import { toStorableJson } from "../../../platform/database/storable-text.ts";
import type { DocumentReader, Extraction } from "../extraction/document-reader.ts";
import { MAX_PASSAGES } from "../extraction/passages.rules.ts";
import type { NewPassage } from "../passages.store.ts";
import { decompressed, documentTypeOf, mediaTypeOf, toUtf8 } from "./page-content.rules.ts";
import { Site, USER_AGENT } from "./site.ts";

const PAGE_DEADLINE_MS = 15_000;
const MAX_PAGE_BYTES = 5 * 1024 * 1024;
/** What search engines read of it. */
const MAX_ROBOTS_BYTES = 500 * 1024;
const MAX_REDIRECTS = 5;
/** Links from the first page to the last one. */
const MAX_DEPTH = 5;
/** Addresses that wait to be read. */
const MAX_WAITING = 2_000;
export const MAX_PROBLEMS = 20;
/** One reading of a website. */
const CRAWL_DEADLINE_MS = 120_000;

type Problem = KnowledgeWebsite["problems"][number];

interface Page {
  url: string;
  passages: readonly NewPassage[];
}

/** What a reading of a website found. */
export interface Crawl {
  pages: readonly Page[];
  bytes: number;
  /** Pages that were not read, at most `MAX_PROBLEMS`. */
  problems: readonly Problem[];
  /**
   * Whether a page that was read before may still be there: it could not be reached, or only pages that could not be reached may
   * lead to it.
   */
  mayRemain: (url: string) => boolean;
}

interface CrawlOptions {
  url: string;
  maxPages: number;
  signal: AbortSignal;
  /** Called after each page that was read, with their number. Rejects to end the reading. */
  onPage: (pages: number) => Promise<void>;
}

interface CrawlerDependencies {
  outbound: Pick<OutboundClient, "send">;
  reader: Pick<DocumentReader, "read">;
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  nowMs?: () => number;
}

/** Why a page was not read. */
class PageError extends Error {
  readonly mayPass: boolean;

  constructor(reason: string, { mayPass = false } = {}) {
    super(reason);
    this.mayPass = mayPass;
  }
}

/**
 * Reads the pages of a website, the nearest to the first one first, one at a time: only those of one origin, only those that robots.txt
 * allows, and each with a limit of bytes and time. Where an address leads is checked at each redirect.
 */
export class WebsiteCrawler {
  readonly #outbound: CrawlerDependencies["outbound"];
  readonly #reader: CrawlerDependencies["reader"];
  readonly #pause: NonNullable<CrawlerDependencies["pause"]>;
  readonly #nowMs: () => number;

  constructor({
    outbound,
    reader,
    pause = async (ms, signal) => await sleep(ms, undefined, { signal }),
    nowMs = performance.now.bind(performance),
  }: CrawlerDependencies) {
    this.#outbound = outbound;
    this.#reader = reader;
    this.#pause = pause;
    this.#nowMs = nowMs;
  }

  /** Rejects with the signal's reason, and with what `onPage` rejects with. Problems of pages are in the answer. */
  async crawl({ url, maxPages, signal, onPage }: CrawlOptions): Promise<Crawl> {
    const endsAtMs = this.#nowMs() + CRAWL_DEADLINE_MS;
    const pages: Page[] = [];
    const problems: Problem[] = [];
    const unreachable = new Set<string>();
    let bytes = 0;
    let passages = 0;
    let site: Site | undefined;
    const waiting = [{ url: withoutFragment(url), depth: 0 }];
    const seen = new Set(waiting.map((each) => each.url));
    const note = (problem: Problem): void => {
      if (problems.length < MAX_PROBLEMS) problems.push(toStorableJson(problem));
    };
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { depth } = next;
      try {
        if (this.#nowMs() > endsAtMs)
          throw new PageError("The time for one reading of the website was over.", { mayPass: true });
        if (site !== undefined) await this.#pause(site.pauseMs, signal);
        site ??= await this.#openSite(next.url, signal);
        const page = await this.#readPage(next.url, site, { isFirst: depth === 0, signal });
        // A redirect may lead to a page that was read before.
        if (page === undefined || (page.url !== next.url && seen.has(page.url))) continue;
        seen.add(page.url);
        passages += page.passages.length;
        if (passages > MAX_PASSAGES)
          throw new PageError(`The website has more than ${MAX_PASSAGES} passages: add parts of it.`);
        bytes += page.bytes;
        pages.push({ url: page.url, passages: page.passages.map((each) => ({ ...each, url: page.url })) });
        await onPage(pages.length);
        if (pages.length >= maxPages) break;
        for (const link of depth < MAX_DEPTH ? page.links : []) {
          const address = withoutFragment(link);
          if (seen.has(address) || waiting.length >= MAX_WAITING || !site.has(address)) continue;
          seen.add(address);
          waiting.push({ url: address, depth: depth + 1 });
        }
      } catch (error) {
        if (!(error instanceof PageError)) throw error;
        note({ url: next.url, reason: error.message });
        if (error.mayPass) unreachable.add(next.url);
      }
    }
    const mayRemain = (page: string): boolean =>
      unreachable.has(page) || (unreachable.size > 0 && !seen.has(page));
    return { pages, bytes, problems, mayRemain };
  }

  /** Finds where the first page is, and what the site allows. */
  async #openSite(url: string, signal: AbortSignal): Promise<Site> {
    const { url: first } = await this.#get(url, { isAllowed: () => true, maxBytes: 1, signal });
    const { origin } = new URL(first);
    const address = `${origin}/robots.txt`;
    const { answer } = await this.#get(address, {
      isAllowed: () => true,
      maxBytes: MAX_ROBOTS_BYTES,
      signal,
    });
    // RFC 9309, 2.3.1: a missing file allows everything, a failing server nothing.
    if (answer.status >= 500)
      throw new PageError(
        `The server answered ${answer.status} for ${address}, which says what may be read.`,
        {
          mayPass: true,
        },
      );
    const body = answer.status < 300 ? await readBody(answer, MAX_ROBOTS_BYTES) : new Uint8Array();
    const text = new TextDecoder().decode(body);
    return new Site(origin, text);
  }

  /** Returns `undefined` for a link to something that is no page. */
  async #readPage(
    url: string,
    site: Site,
    { isFirst, signal }: { isFirst: boolean; signal: AbortSignal },
  ): Promise<(Page & { links: readonly string[]; bytes: number }) | undefined> {
    if (!site.allows(url)) throw new PageError("The site's robots.txt does not allow it to be read.");
    const isAllowed = (target: string): boolean => site.has(target) && site.allows(target);
    const { url: found, answer } = await this.#get(url, { isAllowed, maxBytes: MAX_PAGE_BYTES, signal });
    const { status, contentType } = answer;
    if (status >= 300) throw new PageError(`The server answered ${status}.`, { mayPass: isPassing(status) });
    const type = documentTypeOf(contentType);
    if (type === undefined) {
      if (!isFirst) return undefined;
      throw new PageError(`Its type ${mediaTypeOf(contentType ?? "")} cannot be read.`);
    }
    if (answer.isCut) throw new PageError(`It is larger than ${MAX_PAGE_BYTES / 1024 / 1024} MiB.`);
    const extraction = await this.#extract(answer, type, found);
    if (extraction.reason !== undefined) throw new PageError(`The page ${extraction.reason}.`);
    const { passages, links } = extraction;
    return { url: found, passages, links, bytes: answer.body.byteLength };
  }

  async #extract(answer: OutboundAnswer, type: DocumentType, url: string): Promise<Extraction> {
    const isBinary = type === "pdf" || type === "docx";
    const body = await readBody(answer, MAX_PAGE_BYTES);
    const bytes = isBinary ? body : toUtf8(body, answer.contentType);
    if (bytes === undefined) throw new PageError("Its encoding is unknown.");
    return await this.#reader.read({ bytes, type, url });
  }

  /** Follows redirects to allowed addresses. Returns the last answer and its address. */
  async #get(
    url: string,
    options: { isAllowed: (url: string) => boolean; maxBytes: number; signal: AbortSignal },
  ): Promise<{ url: string; answer: OutboundAnswer }> {
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#send(at, options);
      if (answer.status < 300 || answer.status >= 400 || answer.location === undefined)
        return { url: at, answer };
      const target = URL.parse(answer.location, at)?.href;
      if (target === undefined || !isWebAddress(target))
        throw new PageError("It redirects to something that is no web address.");
      at = withoutFragment(target);
      if (!options.isAllowed(at))
        throw new PageError("It redirects to another site, or to a page that robots.txt does not allow.");
    }
    throw new PageError(`It redirects more than ${MAX_REDIRECTS} times.`);
  }

  async #send(
    url: string,
    { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  ): Promise<OutboundAnswer> {
    try {
      return await this.#outbound.send({
        method: "GET",
        url,
        headers: { "user-agent": USER_AGENT, "accept-encoding": "identity" },
        deadlineMs: PAGE_DEADLINE_MS,
        maxAnswerBytes: maxBytes,
        signal,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const mayPass = error.kind === "connection" || error.kind === "timeout";
      throw new PageError(`It cannot be reached: ${errorMessage(error)}.`, { mayPass });
    }
  }
}

async function readBody({ body, contentEncoding }: OutboundAnswer, maxBytes: number): Promise<Uint8Array> {
  const read = await decompressed(body, contentEncoding, maxBytes);
  if (read !== undefined) return read;
  const limit = `${maxBytes / 1024} KiB`;
  throw new PageError(`It is compressed, which was not asked for, and cannot be read within ${limit}.`);
}

function withoutFragment(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

function isWebAddress(url: string): boolean {
  return /^https?:/i.test(url);
}

/** Whether the same request may succeed later. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}
