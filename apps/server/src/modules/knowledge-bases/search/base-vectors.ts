/** Vectors of the same length. */
export interface VectorGroup {
  /** Ids of the passages, ascending. */
  ids: Float64Array;
  /** One vector after the other, in the order of the ids. */
  vectors: Float32Array;
}

/** The vectors of a base's passages, as of a version of the base. */
export interface BaseVectors {
  version: number;
  /** By their length: the server of the model may have changed it. */
  groups: ReadonlyMap<number, VectorGroup>;
  /** Number of passages, of which some may have no vector. */
  passages: number;
}

/** About 350,000 passages. */
const MAX_BYTES = 512 * 1024 * 1024;

/** A base that changed is searched as it was if its vectors are not read by then. */
const MAX_WAIT_FOR_CHANGE_MS = 100;

/** Where vectors are read from. */
export interface VectorSource {
  countVectors: (knowledgeBaseId: string) => Promise<number>;
  /** In the order of their ids. */
  readVectors: (knowledgeBaseId: string) => AsyncIterable<{ id: number; vector: Float32Array }>;
}

interface Reading {
  version: number;
  vectors: Promise<BaseVectors>;
}

/** Vectors of the bases that were searched last, read again when a base changes. */
export class BaseVectorCache {
  readonly #source: VectorSource;
  /** The base that was not searched for the longest time comes first. */
  readonly #bases = new Map<string, BaseVectors>();
  readonly #readings = new Map<string, Reading>();

  constructor(source: VectorSource) {
    this.#source = source;
  }

  /**
   * Returns the vectors of this version or a later one.
   *
   * @param isHurried Whether those of an earlier version are returned while reading takes long: a large base that documents are
   *   added to would otherwise not be found by conversations.
   */
  async get(id: string, version: number, isHurried = false): Promise<BaseVectors> {
    const known = this.#bases.get(id);
    if (known !== undefined && known.version >= version) {
      this.#bases.delete(id);
      this.#bases.set(id, known);
      return known;
    }
    const { vectors } = this.#beginReading(id, version);
    return known === undefined || !isHurried ? await vectors : await withFallback(vectors, known);
  }

  /** A reading of an earlier version goes on for those who wait for it. */
  #beginReading(id: string, version: number): Reading {
    const running = this.#readings.get(id);
    if (running !== undefined && running.version >= version) return running;
    const vectors = this.#read(id, version).then((read) => {
      if ((this.#bases.get(id)?.version ?? -1) < version) this.#bases.set(id, read);
      this.#dropOldest(id);
      return read;
    });
    const reading = { version, vectors };
    this.#readings.set(id, reading);
    const end = (): void => {
      if (this.#readings.get(id) === reading) this.#readings.delete(id);
    };
    vectors.then(end, end);
    return reading;
  }

  async #read(id: string, version: number): Promise<BaseVectors> {
    const expected = await this.#source.countVectors(id);
    const groups = new Map<number, GrowingGroup>();
    for await (const { id: passage, vector } of this.#source.readVectors(id)) {
      const group = groups.get(vector.length) ?? new GrowingGroup(vector.length, expected);
      groups.set(vector.length, group);
      group.add(passage, vector);
    }
    const read = [...groups].map(([dimensions, group]) => [dimensions, group.group] as const);
    return { version, groups: new Map(read), passages: expected };
  }

  #dropOldest(kept: string): void {
    let bytes = [...this.#bases.values()].reduce((sum, each) => sum + sizeOf(each), 0);
    for (const [id, base] of this.#bases) {
      if (bytes <= MAX_BYTES) return;
      if (id === kept) continue;
      bytes -= sizeOf(base);
      this.#bases.delete(id);
    }
  }
}

class GrowingGroup {
  readonly #dimensions: number;
  #ids: Float64Array;
  #vectors: Float32Array;
  #count = 0;

  constructor(dimensions: number, expected: number) {
    const capacity = Math.max(16, expected);
    this.#dimensions = dimensions;
    this.#ids = new Float64Array(capacity);
    this.#vectors = new Float32Array(capacity * dimensions);
  }

  add(id: number, vector: Float32Array): void {
    if (this.#count === this.#ids.length) {
      const capacity = Math.ceil(this.#count * 1.2);
      this.#ids = grown(this.#ids, new Float64Array(capacity));
      this.#vectors = grown(this.#vectors, new Float32Array(capacity * this.#dimensions));
    }
    this.#ids[this.#count] = id;
    this.#vectors.set(vector, this.#count * this.#dimensions);
    this.#count++;
  }

  get group(): VectorGroup {
    const vectors = this.#vectors.subarray(0, this.#count * this.#dimensions);
    return { ids: this.#ids.subarray(0, this.#count), vectors };
  }
}

function sizeOf({ groups }: BaseVectors): number {
  return [...groups.values()].reduce((sum, { ids, vectors }) => sum + ids.byteLength + vectors.byteLength, 0);
}

/** The result, or the other value if there is none in time. */
async function withFallback<T>(result: Promise<T>, fallback: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(fallback), MAX_WAIT_FOR_CHANGE_MS);
  try {
    return await Promise.race([result.catch(() => fallback), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function grown<T extends Float32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
