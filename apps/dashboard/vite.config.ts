import { defineConfig } from "vite";
import { evaluateAtBuild } from "./vite/at-build.ts";
import { importComponentStyles } from "./vite/component-styles.ts";

export default defineConfig({
  appType: "spa",
  clearScreen: false,
  plugins: [evaluateAtBuild(), importComponentStyles()],
  build: {
    target: "es2022",
    // Small images as files: the content security policy is simpler.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    // What every visit needs is one file of code and one of styles, instead of 65 that wait for each other.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "initial", tags: ["$initial"] }] } } },
  },
});
