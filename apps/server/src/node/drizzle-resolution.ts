import { registerHooks, type ResolveFnOutput } from "node:module";

/**
 * Makes Drizzle quick to import. Node determines a module's format from its package.json, which it parses anew for
 * every module and every import by name; Drizzle's has 180 KB, and loading its hundred modules took half a second. All
 * of them are ES modules that import each other by file.
 */
export function resolveDrizzleAtOnce(): void {
  const folder = new URL(".", import.meta.resolve("drizzle-orm")).href;
  const byName = new Map<string, ResolveFnOutput>();
  registerHooks({
    resolve: (specifier, context, resolveNext) => {
      if (context.conditions.includes("require")) return resolveNext(specifier, context);
      if (specifier.startsWith(".") && context.parentURL?.startsWith(folder)) {
        const url = new URL(specifier, context.parentURL).href;
        return { url, format: "module", shortCircuit: true };
      }
      if (!specifier.startsWith("drizzle-orm")) return resolveNext(specifier, context);
      const resolved = byName.get(specifier) ?? { ...resolveNext(specifier, context), shortCircuit: true };
      byName.set(specifier, resolved);
      return resolved;
    },
  });
}
