export { freePort } from "./free-port.ts";
export { assertLinear, processorMs } from "./growth.ts";
export { seededRandom } from "./seeded-random.ts";
export { waitFor } from "./wait-for.ts";
