/**
 * Knowledge bases: how many of fifty questions find the right passage among five in twenty documents; the time of a whole
 * search in a large base; and by how much the first word of a reply is later with the mode `automatic` than without.
 *
 *     npm run bench -- knowledge [--json] [--passages N] [--searches N] [--turns N]
 *
 * A search embeds the query, finds its words, compares vectors and loads the best passages, in a process of its own as in a node.
 * Turns are those of a dialogue whose language model answers at once; partial texts of the caller's words come every 150 ms.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Dialogue } from "../packages/conversation/src/index.ts";
import { ScriptedLanguageModel } from "../packages/conversation/src/testing/index.ts";
import { seededRandom } from "../packages/testing/src/index.ts";
import { readDocuments } from "./knowledge/documents.ts";
import { createLargeBase } from "./knowledge/many-passages.ts";
import { type BenchPlatform, openPlatform } from "./knowledge/platform.ts";
import { questions } from "./knowledge/questions.ts";
import { percentile, rounded } from "./support/statistics.ts";
import { Yardstick } from "./support/yardstick.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    passages: { type: "string", default: "100000" },
    searches: { type: "string", default: "1000" },
    turns: { type: "string", default: "40" },
  },
});
const LIMIT = 5;
/** The first search of a large base reads its vectors. */
const DEADLINE_MS = 120_000;
const WARM_UP = 50;
const WORDS_PER_QUERY = 9;
const PARTIAL_INTERVAL_MS = 150;
const WORDS_PER_PARTIAL = 2;

type Search = (query: string) => ReturnType<BenchPlatform["services"]["knowledgeSearch"]["search"]>;

function searchOf({ services, organizationId }: BenchPlatform, baseId: string): Search {
  const query = { organizationId, knowledgeBaseIds: [baseId], limit: LIMIT, threshold: 0 };
  return async (text) => await services.knowledgeSearch.search({ ...query, query: text }, DEADLINE_MS);
}

async function indexDocuments({ services, organizationId }: BenchPlatform): Promise<string> {
  const { id } = await services.knowledgeBases.create(organizationId, { name: "Twenty documents" });
  for (const { name, content } of await readDocuments()) {
    const document = await services.knowledgeDocuments.create(organizationId, id, { name, file: content });
    await services.documentIndexer.index(document.id);
    const { status, statusReason } = await services.knowledgeDocuments.get(organizationId, id, document.id);
    if (status !== "ready") throw new Error(`${name} is ${status}: ${statusReason}`);
  }
  return id;
}

/** Place of the right passage for each question, from 1; `undefined` if it is not among the first five. */
async function answerQuestions(search: Search) {
  const places: (number | undefined)[] = [];
  for (const { question, document, answer } of questions) {
    const found = await search(question);
    const place = found.findIndex(({ documentName, heading, text }) => {
      return documentName === document && answer.test(`${heading} ${text}`.replaceAll(/\s+/g, " "));
    });
    places.push(place < 0 ? undefined : place + 1);
    if (place < 0)
      console.log(
        `missed: ${question} (${document}); found ${found.map((each) => `${each.documentName} › ${each.heading} ${each.score}`).join(" | ")}`,
      );
  }
  return places;
}

/** Queries of some words each, cut from the documents: rare words are as rare as in them. */
async function cutQueries({ database }: BenchPlatform, baseId: string, count: number): Promise<string[]> {
  const { rows } = await database.$client.query<{ text: string }>(
    "select text from knowledge_passages where knowledge_base_id = $1 order by id",
    [baseId],
  );
  const words = rows.flatMap(({ text }) => text.match(/[A-Za-z]{2,}/g) ?? []);
  const random = seededRandom(5);
  return Array.from({ length: count }, () => {
    const start = Math.floor(random() * (words.length - WORDS_PER_QUERY));
    return words.slice(start, start + WORDS_PER_QUERY).join(" ");
  });
}

async function measureSearches(search: Search, queries: readonly string[]): Promise<number[]> {
  const timesMs: number[] = [];
  for (const [index, text] of queries.entries()) {
    const startedAt = performance.now();
    await search(text);
    if (index >= WARM_UP) timesMs.push(performance.now() - startedAt);
  }
  return timesMs;
}

type Partials = "expected" | "changed" | "none";

/**
 * Time from the end of the caller's words to the first word of the reply.
 *
 * @param partials Whether the last partial text is the final one, differs from it, or there are none, as in a chat.
 */
async function measureTurn(search: Search | undefined, text: string, partials: Partials): Promise<number> {
  const model = new ScriptedLanguageModel(["Yes."]);
  const dialogue = new Dialogue({
    model,
    instructions: "Be brief.",
    ...(search !== undefined && { knowledge: { search, deadlineMs: 4_000 } }),
  });
  const words = text.split(" ");
  if (partials === "changed") words.pop();
  if (partials !== "none") {
    for (let end = WORDS_PER_PARTIAL; end < words.length; end += WORDS_PER_PARTIAL) {
      dialogue.expect(words.slice(0, end).join(" "));
      await sleep(PARTIAL_INTERVAL_MS);
    }
    dialogue.expect(words.join(" "));
    // Silence after which a turn ends.
    await sleep(2 * PARTIAL_INTERVAL_MS);
  }
  const startedAt = performance.now();
  const reply = dialogue.respond({ type: "message", text }, { signal: new AbortController().signal });
  let firstMs: number | undefined;
  for await (const part of reply) if (part.type === "text") firstMs ??= performance.now() - startedAt;
  if (search !== undefined && (reply.knowledge?.length ?? 0) === 0) throw new Error("no passage was given");
  return firstMs ?? Number.NaN;
}

/** Median delay by the search. With and without take turns. */
async function measureTurnDelay(search: Search, partials: Partials, turns: number): Promise<number> {
  const timesMs = { with: [] as number[], without: [] as number[] };
  for (let turn = 0; turn < turns; turn++) {
    const text = `${questions[turn % questions.length]?.question} Number ${turn} ${partials}`;
    timesMs.without.push(await measureTurn(undefined, text, "none"));
    timesMs.with.push(await measureTurn(search, text, partials));
  }
  return percentile(timesMs.with, 0.5) - percentile(timesMs.without, 0.5);
}

const yardstick = new Yardstick();
const platform = await openPlatform();
try {
  const baseId = await indexDocuments(platform);
  const { passages } = await platform.services.knowledgeBases.get(platform.organizationId, baseId);
  const places = await answerQuestions(searchOf(platform, baseId));
  const found = places.filter((place) => place !== undefined).length;
  const first = places.filter((place) => place === 1).length;
  console.log(
    `${questions.length} questions in 20 documents (${passages} passages): right passage among five for ${found}, first for ${first}`,
  );
  const count = Number(options.passages);
  const largeId = await createLargeBase(platform, baseId, count);
  const search = searchOf(platform, largeId);
  const startedAt = performance.now();
  await search("Which documents are there?");
  const firstMs = rounded(performance.now() - startedAt);
  const timesMs = await measureSearches(
    search,
    await cutQueries(platform, baseId, Number(options.searches) + WARM_UP),
  );
  const searchP50Ms = rounded(percentile(timesMs, 0.5));
  const searchP99Ms = rounded(percentile(timesMs, 0.99));
  console.log(
    `${count} passages: ${searchP50Ms} ms (p50), ${searchP99Ms} ms (p99); the first search, which reads the vectors: ${firstMs} ms`,
  );
  const turns = Number(options.turns);
  const turnDelayMs = {
    expected: rounded(await measureTurnDelay(search, "expected", turns)),
    changed: rounded(await measureTurnDelay(search, "changed", turns)),
    none: rounded(await measureTurnDelay(search, "none", turns)),
  };
  console.log(
    `first word of a reply later by ${turnDelayMs.expected} ms at the median if the last partial text is the final one, ` +
      `${turnDelayMs.changed} ms if it is not, ${turnDelayMs.none} ms without partial texts`,
  );
  const report = yardstick.finish({ "search p50": searchP50Ms, "search p99": searchP99Ms });
  const quality = { questions: questions.length, found, first, passages };
  console.log(JSON.stringify({ ...report, quality, count, firstMs, searchP50Ms, searchP99Ms, turnDelayMs }));
} finally {
  await platform.close();
}
