import type { FastifyInstance } from "fastify";

type Methods = Set<string>;

/** Remembers the paths of all routes, to find the methods that a path supports. */
export class AllowedMethods {
  /** By the number of segments, because a parameter stands for exactly one. */
  readonly #patterns = new Map<number, { segments: readonly string[]; methods: Methods }[]>();

  /** Collects the routes that are registered from now on. */
  watch(app: FastifyInstance): void {
    app.addHook("onRoute", ({ url, method }) => {
      const segments = url.split("/");
      const sameLength = this.#patterns.get(segments.length) ?? [];
      this.#patterns.set(segments.length, sameLength);
      let pattern = sameLength.find((each) => each.segments.join("/") === url);
      if (pattern === undefined) sameLength.push((pattern = { segments, methods: new Set() }));
      for (const each of [method].flat()) pattern.methods.add(each);
    });
  }

  /** Methods of the routes whose pattern matches `path`; none if no route does. */
  find(path: string): string[] {
    const asked = path.split("/");
    const matching = (this.#patterns.get(asked.length) ?? []).filter(({ segments }) =>
      segments.every((segment, at) => segment === asked[at] || (segment.startsWith(":") && asked[at] !== "")),
    );
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  }
}
