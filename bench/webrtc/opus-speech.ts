import {
  createOpusEncoder,
  decodePcmu,
  OpusApplication,
  type OpusEncoder,
  Resampler,
} from "../../packages/audio/src/index.ts";
import { type Frames, lineNoise, loadUtterances } from "../calls/speech.ts";

/** Packets that browsers send, encoded once for all of them: one packet per 20 ms. */
export interface OpusSpeech {
  utterances: Frames[];
  /** Packets sent in a loop during silence. */
  noise: Frames;
}

export async function loadOpusSpeech(): Promise<OpusSpeech> {
  const encoder = await createOpusEncoder({
    sampleRate: 16_000,
    channels: 1,
    application: OpusApplication.Voip,
    bitrate: 32_000,
    frameSize: 320,
  });
  const utterances = (await loadUtterances()).map((frames) => encode(encoder, frames));
  const noise = encode(encoder, lineNoise());
  encoder.free();
  return { utterances, noise };
}

function encode(encoder: OpusEncoder, frames: Frames): Frames {
  const resampler = new Resampler(8000, 16_000);
  return frames.map((frame) => {
    const wide = resampler.process(decodePcmu(frame, new Int16Array(frame.length)));
    return encoder.encode(wide.slice());
  });
}
