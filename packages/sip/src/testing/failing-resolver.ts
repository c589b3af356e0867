import type { Resolver } from "../transport/resolver.ts";

/** Rejects every lookup: tests use addresses. */
export const failingResolver: Resolver = {
  naptr: fail,
  srv: fail,
  addresses: fail,
};

function fail(name: string): Promise<never> {
  return Promise.reject(new Error(`tests must use addresses, not names: ${name}`));
}
