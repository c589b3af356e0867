import { waitFor } from "@parley/testing";
import type { Platform } from "../../support/platform/platform.ts";

interface Memory {
  /** JavaScript objects in use. */
  heapBytes: number;
  /** Buffers owned by these objects. */
  buffersBytes: number;
}

interface HeapUsage {
  usedSize: number;
  backingStorageSize?: number;
}

/** Inspector addresses by process id. */
const inspectors = new Map<number, string>();

/**
 * Measures the memory of a platform's process after garbage collection, through the inspector that SIGUSR1
 * opens.
 */
export async function measureLiveMemory(platform: Platform, pid: number): Promise<Memory> {
  const url = inspectors.get(pid) ?? (await openInspector(platform, pid));
  inspectors.set(pid, url);
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", () => reject(new Error(`no inspector at ${url}`)), { once: true });
  });
  // The second collection frees objects that the first one finalized.
  for (let times = 0; times < 2; times++) await ask(socket, "HeapProfiler.collectGarbage");
  const usage = await ask<HeapUsage>(socket, "Runtime.getHeapUsage");
  socket.close();
  return { heapBytes: usage.usedSize, buffersBytes: usage.backingStorageSize ?? 0 };
}

async function openInspector(platform: Platform, pid: number): Promise<string> {
  const before = platform.output.length;
  process.kill(pid, "SIGUSR1");
  return await waitFor(
    `the inspector of process ${pid}`,
    () => /Debugger listening on (ws:\S+)/.exec(platform.output.slice(before))?.[1],
  );
}

let lastId = 0;

async function ask<T>(socket: WebSocket, method: string): Promise<T> {
  const id = ++lastId;
  return await new Promise((resolve) => {
    const listen = ({ data }: MessageEvent): void => {
      const message = JSON.parse(String(data));
      if (message.id !== id) return;
      socket.removeEventListener("message", listen);
      resolve(message.result);
    };
    socket.addEventListener("message", listen);
    socket.send(JSON.stringify({ id, method }));
  });
}
