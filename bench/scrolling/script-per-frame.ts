import type { Page } from "puppeteer-core";

interface TraceEvent {
  name: string;
  /** Microseconds. */
  ts: number;
  dur?: number;
  /** Processor time, in microseconds. */
  tdur?: number;
  tid: number;
  pid: number;
}

const FRAME = "BeginMainThreadFrame";
const scripts: ReadonlySet<string> = new Set([
  "FunctionCall",
  "EvaluateScript",
  "RunMicrotasks",
  "v8.compile",
]);

/** Processor time of scripts, in milliseconds, between the beginnings of the page's frames, while something is done with it. */
export async function scriptPerFrame(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.tracing.start({
    categories: [
      "devtools.timeline",
      "disabled-by-default-devtools.timeline",
      "disabled-by-default-devtools.timeline.frame",
    ],
  });
  await act();
  const trace = await page.tracing.stop();
  const { traceEvents } = JSON.parse(new TextDecoder().decode(trace)) as { traceEvents: TraceEvent[] };
  const mainThread = busiestThreadOf(traceEvents);
  const own = traceEvents
    .filter(({ pid, tid }) => `${pid}/${tid}` === mainThread)
    .sort((one, other) => one.ts - other.ts);
  const beginnings = own.filter(({ name }) => name === FRAME).map(({ ts }) => ts);
  const frames = beginnings
    .slice(0, -1)
    .map((beginUs, index) => ({ endUs: beginnings[index + 1] ?? beginUs, us: 0 }));
  let place = 0;
  let coveredUntilUs = 0;
  for (const { name, ts, dur = 0, tdur = dur } of own) {
    // An event inside another one is counted with it.
    if (!scripts.has(name) || ts < coveredUntilUs || ts < (beginnings[0] ?? Infinity)) continue;
    coveredUntilUs = ts + dur;
    while (place < frames.length && ts >= (frames[place]?.endUs ?? Infinity)) place += 1;
    const frame = frames[place];
    if (frame !== undefined) frame.us += tdur;
  }
  return frames.map(({ us }) => us / 1000);
}

/** The renderer's main thread: the one with most frames. */
function busiestThreadOf(events: readonly TraceEvent[]): string {
  const counts = new Map<string, number>();
  for (const { name, pid, tid } of events)
    if (name === FRAME) counts.set(`${pid}/${tid}`, (counts.get(`${pid}/${tid}`) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}
