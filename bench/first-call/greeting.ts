import type { HeardPacket } from "../../e2e/support/phone/test-caller.ts";

const FRAME_MS = 20;

/** Audio that the caller received between the answer and the end of the greeting. */
export interface HeardGreeting {
  /** Time from the answer to the first packet with speech. */
  firstPacketMs: number;
  /** Longest time between two packets with speech, less their own length: pauses of the voice, or late audio. */
  longestPauseMs: number;
  /** Audio from the first packet with speech to the last, 8 kHz. */
  pcm: Int16Array;
}

/**
 * @param packets Packets of only the greeting.
 * @returns `undefined` if they contain no speech.
 */
export function describeGreeting(
  packets: readonly HeardPacket[],
  answeredAtMs: number,
): HeardGreeting | undefined {
  const spoken = packets.filter(({ isSpeech }) => isSpeech);
  const first = spoken[0];
  const last = spoken.at(-1);
  if (first === undefined || last === undefined) return undefined;
  let longestPauseMs = 0;
  for (const [index, packet] of spoken.entries()) {
    const before = spoken[index - 1];
    if (before !== undefined) longestPauseMs = Math.max(longestPauseMs, packet.atMs - before.atMs - FRAME_MS);
  }
  const heard = packets.slice(packets.indexOf(first), packets.indexOf(last) + 1);
  return {
    firstPacketMs: first.atMs - answeredAtMs,
    longestPauseMs,
    pcm: Int16Array.from(heard.flatMap(({ pcm }) => [...pcm])),
  };
}
