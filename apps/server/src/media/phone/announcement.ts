import { Volume } from "@parley/audio";
import type { AudioEnd } from "./audio-bridge.ts";

const FRAME_MS = 20;
/** Silence in which a caller on hold waits for the message: 2 s. */
const MAX_SILENT_FRAMES = 100;

/** A spoken text. */
export interface Announcement {
  text: string;
  pcm: Int16Array;
  sampleRateHz: number;
  /** Gain, 0–2. */
  volume: number;
}

/** Returns the announcement's frames, then `undefined`. The last one is filled up with silence. */
export function playAnnouncement({ pcm, sampleRateHz, volume }: Announcement): () => Int16Array | undefined {
  const samples = (FRAME_MS * sampleRateHz) / 1000;
  const gain = new Volume(sampleRateHz, volume);
  let offset = 0;
  return () => {
    if (offset >= pcm.length) return undefined;
    const frame = new Int16Array(samples);
    frame.set(pcm.subarray(offset, offset + samples));
    offset += samples;
    return gain.apply(frame);
  };
}

/** An end that plays and does not listen. */
export function createPlayingEnd(nextFrame: AudioEnd["nextFrame"]): AudioEnd {
  return { hear: () => {}, dtmf: () => {}, nextFrame };
}

/**
 * What a caller hears on hold: the message, then music or silence. If the message takes long, music comes before it too.
 *
 * @param message `undefined` if there is none, or if it could not be spoken in time. Does not reject.
 * @param onMessage Called when the message begins.
 */
export function createHoldAudio(
  message: Promise<Announcement | undefined>,
  music: (() => Int16Array) | undefined,
  onMessage: (text: string) => void,
): AudioEnd {
  const fill = (): Int16Array | undefined => music?.();
  let silentFrames = MAX_SILENT_FRAMES;
  let next: AudioEnd["nextFrame"] = () => (silentFrames-- > 0 ? undefined : fill());
  void message.then((announcement) => {
    const play = announcement && playAnnouncement(announcement);
    next = () => play?.() ?? fill();
    if (announcement !== undefined) onMessage(announcement.text);
  });
  return createPlayingEnd(() => next());
}
