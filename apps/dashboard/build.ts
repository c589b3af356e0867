/** The pages that people see, bundled. There is no built copy that could be out of date: the server builds them at the first request. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build, stop } from "esbuild";

const root = import.meta.dirname;

/** A file of a page, under the path at which the page requests it. */
export interface PageFile {
  path: string;
  contentType: string;
  bytes: Uint8Array;
  /** Whether the path changes with the content, so that it can be kept for ever. */
  isImmutable: boolean;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

let built: Promise<readonly PageFile[]> | undefined;

/**
 * Bundles `/try` and what it needs, once in a process. Takes some tenths of a second, in a process of its own that ends
 * with it.
 *
 * @throws Error if the sources do not compile.
 */
export async function buildPages(): Promise<readonly PageFile[]> {
  built ??= bundleOnce();
  return await built;
}

async function bundleOnce(): Promise<PageFile[]> {
  try {
    return await bundle();
  } finally {
    await stop();
  }
}

async function bundle(): Promise<PageFile[]> {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, "src/try/try.tsx")],
    outdir: path.join(root, "out"),
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    logLevel: "silent",
  });
  const assets = outputFiles.map(({ path: file, contents }): PageFile => {
    const { name, ext } = path.parse(file);
    const hash = createHash("sha256").update(contents).digest("hex").slice(0, 12);
    return {
      path: `/assets/${name}-${hash}${ext}`,
      contentType: contentTypes[ext] ?? "application/octet-stream",
      bytes: contents,
      isImmutable: true,
    };
  });
  return [...assets, await page("/try", "src/try/try.html", assets)];
}

async function page(url: string, template: string, assets: readonly PageFile[]): Promise<PageFile> {
  const find = (extension: string): string =>
    assets.find(({ path: file }) => file.endsWith(extension))?.path ?? "";
  const html = (await readFile(path.join(root, template), "utf8"))
    .replace("{{script}}", find(".js"))
    .replace("{{styles}}", find(".css"));
  return {
    path: url,
    contentType: "text/html; charset=utf-8",
    bytes: Buffer.from(html),
    isImmutable: false,
  };
}
