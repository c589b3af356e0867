import type { Writable } from "node:stream";
import { spec } from "node:test/reporters";
import type { FileResult } from "./run-file.ts";

const SLOWEST_SHOWN = 10;

/** Prints each file's tests together when the file has ended, and a summary of all files at the end. */
export class TestReport {
  readonly #reporter = new spec();
  readonly #output: Writable;
  readonly #results: FileResult[] = [];

  constructor(output: Writable) {
    this.#output = output;
    this.#reporter.pipe(output, { end: false });
  }

  add(result: FileResult): void {
    this.#results.push(result);
    const name = `${result.file} (${result.seconds.toFixed(1)} s)`;
    this.#reporter.write({ type: "test:stdout", data: { file: result.file, message: `\n${name}\n` } });
    for (const event of result.events) this.#reporter.write(event);
    if (result.leaks.length > 0) this.#reporter.write(leakFailure(result));
  }

  /** Whether every test passed and every file released what it opened. */
  get isPassed(): boolean {
    return this.#results.every(({ failed, leaks }) => failed === 0 && leaks.length === 0);
  }

  async end(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#reporter.once("end", resolve);
      this.#reporter.end();
    });
    const sum = (count: (result: FileResult) => number): number =>
      this.#results.reduce((total, result) => total + count(result), 0);
    const leaking = this.#results.filter(({ leaks }) => leaks.length > 0).map(({ file }) => file);
    const slowest = this.#results
      .toSorted((one, other) => other.seconds - one.seconds)
      .slice(0, SLOWEST_SHOWN);
    const lines = [
      "",
      "Slowest files:",
      ...slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`),
      ...(leaking.length > 0
        ? ["", "Files that left something alive:", ...leaking.map((file) => `  ${file}`)]
        : []),
      "",
      `${this.#results.length} files: ${sum(({ passed }) => passed)} tests passed, ` +
        `${sum(({ failed }) => failed)} failed, ${sum(({ skipped }) => skipped)} skipped; ` +
        `files that left something alive: ${leaking.length}`,
      "",
    ];
    this.#output.write(lines.join("\n"));
  }
}

function leakFailure({ file, seconds, leaks }: FileResult): object {
  const error = new Error(`${file} left something alive after its last test`);
  error.stack = [error.message, ...leaks].join("\n");
  const details = { duration_ms: seconds * 1000, error };
  return {
    type: "test:fail",
    data: {
      name: `${file} leaves nothing alive`,
      file,
      line: 1,
      column: 1,
      nesting: 0,
      testNumber: 0,
      details,
    },
  };
}
