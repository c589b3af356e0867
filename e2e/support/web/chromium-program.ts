import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";

export interface ChromiumProgram {
  executablePath: string;
  /** Includes the libraries that Chromium needs besides the C library, so that no installation is needed. */
  env: Readonly<Record<string, string>>;
}

/** Value of a test's `skip`: the package contains only a program for Linux on x64. */
export const skipWithoutChromium =
  process.platform === "linux" && process.arch === "x64"
    ? false
    : "no Chromium for this machine comes by npm";

/**
 * Unpacks the headless Chromium of `@sparticuz/chromium`, once per version. The package's own unpacking is
 * not safe if two tests start at once.
 */
export async function unpackChromium(): Promise<ChromiumProgram> {
  const packageFolder = path.join(fileURLToPath(import.meta.resolve("@sparticuz/chromium")), "../..");
  const { version } = JSON.parse(await readFile(path.join(packageFolder, "package.json"), "utf8")) as {
    version: string;
  };
  const folder = path.join(tmpdir(), `parley-chromium-${version}`);
  if (!existsSync(folder)) await unpack(path.join(packageFolder, "bin"), folder);
  return {
    executablePath: path.join(folder, "chromium"),
    env: { LD_LIBRARY_PATH: path.join(folder, "lib") },
  };
}

async function unpack(packed: string, folder: string): Promise<void> {
  const unfinished = await mkdtemp(`${folder}-`);
  const inflate = async (name: string, target: string): Promise<void> => {
    const file = createWriteStream(path.join(unfinished, target), { mode: 0o755 });
    await pipeline(createReadStream(path.join(packed, name)), createBrotliDecompress(), file);
  };
  try {
    await mkdir(path.join(unfinished, "lib"));
    await inflate("chromium.br", "chromium");
    await inflate("al2023.tar.br", "libraries.tar");
    await promisify(execFile)("tar", ["-xf", "libraries.tar"], { cwd: unfinished });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another test was first.
    if (!existsSync(folder)) throw error;
  }
}
