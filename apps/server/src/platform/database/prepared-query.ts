import type { Queries } from "./database.ts";
import { sourceOf } from "./joint-transaction.ts";

/**
 * Builds a query's SQL once for each database, which takes Drizzle longer than running it takes us; parameters are
 * `sql.placeholder`s. `build` ends with `.prepare("")`: a statement with a name would have to be known to every
 * connection behind a pooler.
 */
export function prepareOnce<Q>(build: (queries: Queries) => Q): (queries: Queries) => Q {
  const prepared = new WeakMap<Queries, Q>();
  return (queries) => {
    const source = sourceOf(queries);
    const known = prepared.get(source);
    if (known !== undefined) return known;
    const query = build(source);
    prepared.set(source, query);
    return query;
  };
}
