import type { Page } from "./requests.ts";

/**
 * All items of a list, with each page fetched when needed:
 *
 * ```ts
 * for await (const call of paginate((page) => parley.listCalls({ agentId, ...page }))) …
 * ```
 *
 * Items created or deleted in the meantime may be returned twice or not at all.
 */
export async function* paginate<T>(
  list: (page: { page: number; pageSize: number }) => Promise<Page<T>>,
  pageSize = 100,
): AsyncGenerator<T, void, undefined> {
  for (let page = 1, hasNextPage = true; hasNextPage; page++) {
    const answer = await list({ page, pageSize });
    yield* answer.data;
    ({ hasNextPage } = answer);
  }
}
