/**
 * Ends a test file that leaves something alive, and reports what. Loaded into each test file's process by `run-file.ts`.
 *
 * A process of `node --test` ends by itself when its last test has released everything. If it is still alive
 * GRACE_MS after its last hook, the guard writes one line for each socket, server, timer, worker and child process
 * that keeps it alive to `REPORT_VARIABLE`'s file, with the code that created it, and ends the process. Unreferenced
 * resources keep no process alive and are not leaks. What starts timers is recorded on request only: tests that measure
 * memory or time would measure the records as well.
 */
import { AsyncResource, createHook } from "node:async_hooks";
import { readFileSync, writeFileSync } from "node:fs";
import { after } from "node:test";
import { isMainThread } from "node:worker_threads";
import { REPORT_VARIABLE, TRACE_TIMERS_VARIABLE } from "./variables.ts";

const GRACE_MS = 3_000;
/** For the file's own `after` hooks. If one of them fails, Node does not run the guard's last one. */
const HOOKS_DEADLINE_MS = 60_000;
const STACK_FRAMES = 30;
const SHOWN_FRAMES = 3;
const areTimersTraced = process.env[TRACE_TIMERS_VARIABLE] !== undefined;

/** Promises, file operations and single writes end by themselves; what is traced stays until someone closes it. */
function isTraced(type: string): boolean {
  if (type === "Timeout") return areTimersTraced;
  return /^WORKER$|^MESSAGEPORT$|WRAP$/.test(type) && !/REQ|SHUTDOWN|WRITE|CONNECT|SEND/.test(type);
}

interface Handle {
  hasRef?: () => boolean;
  pid?: number;
  getsockname?: (out: { address?: string; port?: number }) => void;
  getpeername?: (out: { address?: string; port?: number }) => void;
}

interface Created {
  type: string;
  handle: WeakRef<Handle>;
  creator: Error;
}

const reportFile = process.env[REPORT_VARIABLE];
// Processes that the test file starts inherit the variable, not the guard: Node hands execArgv down to forks.
if (isMainThread && reportFile !== undefined && process.argv[1]?.endsWith(".test.ts") === true) {
  process.execArgv = process.execArgv.filter((arg) => !arg.includes(import.meta.url));
  guard(reportFile);
}

function guard(file: string): void {
  const created = recordHandles();
  let grace: NodeJS.Timeout | undefined;
  const endIn = (ms: number): void => {
    clearTimeout(grace);
    grace = setTimeout(() => {
      writeFileSync(file, describeAlive(created).join("\n"));
      process.exit();
    }, ms).unref();
  };
  // Inside a hook, `after` would register with that hook; in this scope it registers with the file.
  const fileScope = new AsyncResource("LeakGuard");
  after(() => {
    endIn(HOOKS_DEADLINE_MS);
    // Registered when all of the file's own hooks are known: the last one.
    fileScope.runInAsyncScope(() => after(() => endIn(GRACE_MS)));
  });
}

function recordHandles(): Map<number, Created> {
  const created = new Map<number, Created>();
  createHook({
    init(id, type, _trigger, handle: Handle) {
      if (!isTraced(type)) return;
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = STACK_FRAMES;
      created.set(id, { type, handle: new WeakRef(handle), creator: new Error(type) });
      Error.stackTraceLimit = limit;
    },
    destroy(id) {
      created.delete(id);
    },
  }).enable();
  return created;
}

function describeAlive(created: ReadonlyMap<number, Created>): string[] {
  const alive = [...created.values()].flatMap(({ type, handle: reference, creator }) => {
    const handle = reference.deref();
    if (handle === undefined || handle.hasRef?.() !== true) return [];
    return [`${type}${describeHandle(handle)}${describeCreator(creator)}`];
  });
  const active = process.getActiveResourcesInfo();
  const timers = active.filter((type) => type === "Timeout").length;
  const hint = areTimersTraced ? "" : " (npm test -- --trace-timers FILE shows what started them)";
  if (timers > 0) alive.push(`timers: ${timers}${hint}`);
  return alive.length > 0 ? [...new Set(alive)] : active;
}

function describeHandle(handle: Handle): string {
  if (handle.pid !== undefined) return ` ${handle.pid}: ${commandOf(handle.pid)}`;
  return (["getsockname", "getpeername"] as const)
    .map((method) => {
      const out: { address?: string; port?: number } = {};
      handle[method]?.(out);
      return out.port === undefined
        ? ""
        : ` ${method === "getsockname" ? "at" : "to"} ${out.address}:${out.port}`;
    })
    .join("");
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
  } catch {
    return "(command unknown)";
  }
}

function describeCreator({ stack = "" }: Error): string {
  const frames = stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !/\(?node:|leak-guard/.test(line))
    .slice(0, SHOWN_FRAMES);
  return frames.length === 0 ? " created by Node itself" : `, created\n${frames.join("\n")}`;
}
