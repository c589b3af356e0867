import type { Plugin } from "vite";

/** The import of a component's class names, as in `import classes from "../Input.module.mjs"`. */
const CLASS_NAMES = /from "\.{1,2}\/(?:[^"]*\/)?(\w+)\.module\.mjs"/;

/**
 * Adds to each component of Mantine the import of its own styles: a page loads the styles of the components that it shows,
 * instead of those of all. The import comes last, after those of the components that this one is made of and overrides.
 */
export function importComponentStyles(): Plugin {
  return {
    name: "import-component-styles",
    transform(code, id) {
      if (!/\/@mantine\/core\/esm\/(components|utils)\//.test(id)) return undefined;
      const component = CLASS_NAMES.exec(code)?.[1];
      if (component === undefined) return undefined;
      return { code: `${code}\nimport "@mantine/core/styles/${component}.layer.css";`, map: null };
    },
  };
}
