import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** From a request to the first byte of its answer. */
export const VENDOR_LATENCY_MS = 30;

export type VendorName = "elevenlabs" | "cartesia" | "deepgram" | "openai" | "chat" | "anthropic" | "google";

/** Starts the vendors' process; resolves with their URLs. */
export async function startVendors(): Promise<{ urls: Record<VendorName, string>; child: ChildProcess }> {
  const child = fork(new URL("./vendor-process.ts", import.meta.url));
  const [urls] = (await once(child, "message")) as [Record<VendorName, string>];
  return { urls, child };
}

interface Exchange {
  conversation: string;
  firstByteAtMs: number | null;
}

/** Times of the first bytes of a vendor's answers, by the text of the exchange, in its order. */
export async function readFirstBytes(url: string): Promise<Map<string, number[]>> {
  const response = await fetch(`${url}/stats`);
  const { exchanges } = (await response.json()) as { exchanges: Exchange[] };
  const times = new Map<string, number[]>();
  for (const { conversation, firstByteAtMs } of exchanges) {
    const known = times.get(conversation) ?? [];
    times.set(conversation, known);
    if (firstByteAtMs !== null) known.push(firstByteAtMs);
  }
  return times;
}
