/**
 * `npm run screenshots`: starts a Parley, fills it by real calls, and saves every page of the dashboard and the widget, light and dark, on a
 * desktop and a phone, into `screenshots/`, which Git ignores. With `-- --docs` it makes the images in docs/images anew instead.
 */
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { photographForDocs, photographPages } from "./screenshots/pages.ts";
import { photographTry } from "./screenshots/try-images.ts";

const FOLDER = path.resolve("screenshots");
const DOCS_FOLDER = path.resolve("docs/images");

const { values: options } = parseArgs({ options: { docs: { type: "boolean", default: false } } });

if (options.docs) {
  await photographForDocs(DOCS_FOLDER);
  await photographTry(DOCS_FOLDER);
} else {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  console.log(`${await photographPages(FOLDER)} screenshots are in ${FOLDER}`);
}
