import type { Resolver } from "../transport/resolver.ts";

/** Knows no name at all: tests give addresses. */
export const noNames: Resolver = {
  naptr: fail,
  srv: fail,
  addresses: fail,
};

function fail(name: string): Promise<never> {
  return Promise.reject(new Error(`no names in tests: ${name}`));
}
