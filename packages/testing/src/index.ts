export { freePort } from "./free-port.ts";
export { seededRandom } from "./seeded-random.ts";
export { waitFor } from "./wait-for.ts";
