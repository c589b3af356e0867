import type { TestEvent } from "node:test/reporters";

/** A reporter of `node --test`: the files in which a test failed, one a line. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.file === undefined || files.has(data.file)) continue;
    files.add(data.file);
    yield `${data.file}\n`;
  }
}
