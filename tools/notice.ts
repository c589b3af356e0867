/**
 * Writes NOTICE: the packages and models that an installation of Parley consists of, with their licenses. With `--check`
 * fails if the committed file differs. Refuses licenses that the project does not accept (docs/decisions/toolchain).
 */
import { readFile, writeFile } from "node:fs/promises";
import { MODEL_CATALOG } from "@parley/providers";
import { listPackages, refuseLicenses, writeNotice } from "./notice/notice.ts";

const root = new URL("../", import.meta.url);
const packages = listPackages(JSON.parse(await readFile(new URL("package-lock.json", root), "utf8")));
const problems = refuseLicenses(packages);
const notice = writeNotice(packages, MODEL_CATALOG);
const file = new URL("NOTICE", root);
if (!process.argv.includes("--check")) await writeFile(file, notice);
else if ((await readFile(file, "utf8").catch(() => "")) !== notice)
  problems.push("NOTICE does not match package-lock.json: run `npm run notice` and commit it.");
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
