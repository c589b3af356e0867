import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collectGarbage: (() => void) | undefined;

/** Bytes in use after garbage collection. */
export function liveHeapBytes(): number {
  if (collectGarbage === undefined) {
    setFlagsFromString("--expose-gc");
    collectGarbage = runInNewContext("gc") as () => void;
  }
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
