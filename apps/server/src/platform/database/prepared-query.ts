import type { Queries } from "./database.ts";
import { sourceOf } from "./joint-transaction.ts";

/**
 * Builds a query's SQL once per database, because Drizzle takes longer to build it than we take to run it; parameters
 * are `sql.placeholder`s. `build` ends with `.prepare("")`: a named statement would have to exist on every connection
 * behind a pooler.
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
