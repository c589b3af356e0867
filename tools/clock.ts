/**
 * Checks that the server reads the time of day from its clock alone: prints each `new Date()` outside of it, and exits with
 * status 1 if there is one.
 */
import { glob, readFile } from "node:fs/promises";
import { parseSync } from "oxc-parser";

const CLOCK = "apps/server/src/platform/clock.ts";

/** Lines of the source at which it reads the time of day by `new Date()`. */
export function findBareDates(file: string, text: string): number[] {
  const lines: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (isBareDate(node)) lines.push(text.slice(0, node.start).split("\n").length);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(file, text).program);
  return lines;
}

function isBareDate(node: object): node is { start: number } {
  if (!("type" in node) || node.type !== "NewExpression" || !("callee" in node)) return false;
  const { callee, arguments: given } = node as { callee: { name?: string }; arguments?: unknown[] };
  return callee.name === "Date" && given?.length === 0;
}

if (import.meta.main) {
  for await (const file of glob("apps/server/src/**/*.ts")) {
    if (/(\.test|\/testing|\/contract-resources)\.ts$/.test(file) || file === CLOCK) continue;
    for (const line of findBareDates(file, await readFile(file, "utf8"))) {
      console.error(
        `${file}:${line}: new Date() reads the time of day: take it from the Clock that is passed in`,
      );
      process.exitCode = 1;
    }
  }
}
