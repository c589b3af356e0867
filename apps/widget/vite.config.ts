import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin, type Rolldown } from "vite";

/** What a page loads before a visitor calls, with the texts of one language. */
const MAX_INITIAL_BYTES = 60_000;

/**
 * Emits the files whose addresses are stable: `widget.js`, a classic script that begins the widget of its own tag,
 * `widget.mjs`, the module, and the page of the preview. They load code whose names contain a hash. Fails if a page would load
 * more than the limit.
 */
function emitEntries(): Plugin {
  return {
    name: "emit-entries",
    generateBundle(_options, bundle) {
      const [entry, preview] = [findChunk(bundle, "index"), findChunk(bundle, "preview")];
      const bytes =
        sizeOf(bundle, [entry.fileName, ...listImports(bundle, entry.fileName)]) + largestTexts(bundle);
      if (bytes > MAX_INITIAL_BYTES)
        throw new Error(
          `The widget has ${bytes} bytes (gzip) before a call; the limit is ${MAX_INITIAL_BYTES}.`,
        );
      const url = JSON.stringify(addressOf(entry));
      const emit = (fileName: string, source: string): void =>
        void this.emitFile({ type: "asset", fileName, source });
      emit(
        "widget.js",
        `{const s=document.currentScript;import(new URL(${url},s.src).href).then((m)=>m.mountScript(s))}\n`,
      );
      emit("widget.mjs", `export { mount } from ${url};\n`);
      emit("preview.html", writePreviewPage(addressOf(preview)));
    },
  };
}

function findChunk(bundle: Rolldown.OutputBundle, name: string): Rolldown.OutputChunk {
  for (const file of Object.values(bundle)) if (file.type === "chunk" && file.name === name) return file;
  throw new Error(`The build of the widget lacks ${name}.`);
}

/** Address of a file as the server has it, relative to the stable files. */
const addressOf = ({ fileName }: Rolldown.OutputChunk): string =>
  `./${fileName.replace("assets/", "widget-assets/")}`;

function writePreviewPage(script: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Preview of the widget</title>
    <script type="module" src="${script}"></script>
  </head>
  <body></body>
</html>
`;
}

/** Files that a chunk imports, directly or not, without those that it loads on demand. */
function listImports(bundle: Rolldown.OutputBundle, fileName: string): string[] {
  const chunk = bundle[fileName];
  if (chunk?.type !== "chunk") return [];
  return chunk.imports.flatMap((name) => [name, ...listImports(bundle, name)]);
}

/** Size of the largest language: a page loads one. */
function largestTexts(bundle: Rolldown.OutputBundle): number {
  const files = Object.values(bundle).filter((file) => file.type === "chunk" && isTexts(file.facadeModuleId));
  if (files.length === 0) throw new Error("The build of the widget lacks the files of its languages.");
  return Math.max(...files.map(({ fileName }) => sizeOf(bundle, [fileName])));
}

const isTexts = (module: string | null): boolean => /\/texts\/[a-z]{2}\.ts$/.test(module ?? "");

function sizeOf(bundle: Rolldown.OutputBundle, fileNames: readonly string[]): number {
  const codes = [...new Set(fileNames)].map((name) => {
    const file = bundle[name];
    return file?.type === "chunk" ? file.code : "";
  });
  return codes.reduce((total, code) => total + gzipSync(code, { level: 9 }).length, 0);
}

export default defineConfig({
  appType: "custom",
  // Addresses relative to the script's own, on whichever server it is.
  base: "./",
  clearScreen: false,
  publicDir: false,
  plugins: [emitEntries()],
  build: {
    target: "es2022",
    modulePreload: false,
    reportCompressedSize: false,
    emptyOutDir: true,
    rolldownOptions: {
      input: { index: "src/index.ts", preview: "src/preview.ts" },
      preserveEntrySignatures: "strict",
      output: { entryFileNames: "assets/[name]-[hash].js", chunkFileNames: "assets/[name]-[hash].js" },
    },
  },
});
