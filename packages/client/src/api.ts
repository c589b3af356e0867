/**
 * Client of the Parley API without browser calls: needs no types of the DOM.
 *
 * @module client/api
 */
import { Operations } from "./generated/operations.ts";

/**
 * The API of a Parley server:
 *
 * ```ts
 * const parley = new Parley({ baseUrl: "https://voice.example.com/v1", apiKey });
 * const agent = await parley.createAgent({ name: "Reception" });
 * ```
 *
 * Methods have the names of the operations in the reference. They throw an {@link ApiError} if the API rejects
 * the request, and a {@link ConnectionError} if there is no response. Idempotent requests (GET, PUT, DELETE,
 * and POST with an `Idempotency-Key`) are repeated after 429, 503 and lost connections.
 */
export class Parley extends Operations {}

export { ApiError, ConnectionError, type ErrorCode, type Issue } from "./errors.ts";
export type * from "./generated/types.ts";
export { paginate } from "./paginate.ts";
export type { Page, ParleyOptions, RequestOptions } from "./requests.ts";
