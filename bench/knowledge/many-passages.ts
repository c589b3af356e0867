import { seededRandom } from "../../packages/testing/src/index.ts";
import { readFloats, writeFloats } from "../../apps/server/src/modules/knowledge-bases/vectors.ts";
import type { BenchPlatform } from "./platform.ts";

const ROWS_AT_ONCE = 2_000;
/** Passages of a document: as many as one may have. */
const PASSAGES_OF_DOCUMENT = 20_000;
/** Length of the noise that is added to a vector of length 1. */
const NOISE = 0.8;

interface Sample {
  heading: string;
  text: string;
  embedding: Buffer;
}

/**
 * Creates a base with many passages. Their sentences are those of the passages of another base, mixed, so that words are as
 * frequent as in real texts. Their vectors are those of the other base with noise: to embed 100,000 passages would take an hour.
 */
export async function createLargeBase(
  { database, services, organizationId }: BenchPlatform,
  sampleBaseId: string,
  count: number,
): Promise<string> {
  const { rows: samples } = await database.$client.query<Sample>(
    "select heading, text, embedding from knowledge_passages where knowledge_base_id = $1 order by id",
    [sampleBaseId],
  );
  const random = seededRandom(7);
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error("the other base is empty");
    return value;
  };
  const sentences = samples
    .flatMap(({ text }) => text.split(/(?<=[.!?])\s+|\n/))
    .filter((each) => each !== "");
  const vectors = samples.map(({ embedding }) => readFloats(embedding));
  const { id: baseId } = await services.knowledgeBases.create(organizationId, { name: "Large" });
  let documentId = "";
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    if (first % PASSAGES_OF_DOCUMENT === 0)
      documentId = await createDocument({ database, organizationId, baseId }, first, count);
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - first) }, () => ({
      heading: pick(samples).heading,
      text: Array.from({ length: 5 }, () => pick(sentences)).join(" "),
      embedding: writeFloats(withNoise(pick(vectors), random)),
    }));
    await database.$client.query(
      `insert into knowledge_passages (knowledge_base_id, document_id, heading, text, embedding, embedder)
       select $1, $2, *, 'local/minilm' from unnest($3::text[], $4::text[], $5::bytea[])`,
      [
        baseId,
        documentId,
        rows.map(({ heading }) => heading),
        rows.map(({ text }) => text),
        rows.map(({ embedding }) => embedding),
      ],
    );
  }
  await database.$client.query("update knowledge_bases set version = version + 1 where id = $1", [baseId]);
  await database.$client.query("vacuum analyze knowledge_passages");
  return baseId;
}

async function createDocument(
  place: Pick<BenchPlatform, "database" | "organizationId"> & { baseId: string },
  first: number,
  count: number,
): Promise<string> {
  const passages = Math.min(PASSAGES_OF_DOCUMENT, count - first);
  const { rows } = await place.database.$client.query<{ id: string }>(
    `insert into knowledge_documents
       (organization_id, knowledge_base_id, name, type, status, passages, embedded_passages, bytes, read_at)
     values ($1, $2, $3, 'markdown', 'ready', $4, $4, 0, now()) returning id`,
    [place.organizationId, place.baseId, `${first}.md`, passages],
  );
  return rows[0]?.id ?? "";
}

function withNoise(vector: Float32Array, random: () => number): Float32Array {
  // Uniform noise has a variance of a twelfth of its width's square.
  const width = NOISE * Math.sqrt(12 / vector.length);
  const noisy = vector.map((value) => value + width * (random() - 0.5));
  const length = Math.hypot(...noisy);
  return noisy.map((value) => value / length);
}
