import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";

/**
 * Evaluates modules named `*.at-build.ts` when the pages are built, and replaces them by their values as JSON: pages use the
 * contract's tables without the library that makes schemas of them.
 */
export function evaluateAtBuild(): Plugin {
  return {
    name: "evaluate-at-build",
    enforce: "pre",
    async load(id) {
      if (!id.endsWith(".at-build.ts")) return undefined;
      const module = (await import(pathToFileURL(id).href)) as Record<string, unknown>;
      const lines = Object.entries(module).map(([name, value]) => {
        const json = JSON.stringify(JSON.stringify(value));
        return `export const ${name} = /* @__PURE__ */ JSON.parse(${json});`;
      });
      return { code: lines.join("\n"), moduleType: "js" };
    },
  };
}
