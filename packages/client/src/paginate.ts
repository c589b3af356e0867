import type { Page } from "./requests.ts";

/**
 * Everything of a list, page after page, each fetched when it is needed:
 *
 * ```ts
 * for await (const call of paginate((page) => parley.listCalls({ agentId, ...page }))) …
 * ```
 *
 * What is created or deleted meanwhile may be seen twice or not at all.
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
