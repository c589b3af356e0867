import { closeSync, openSync, writeSync } from "node:fs";
import {
  createOpusDecoder,
  createOpusEncoder,
  OggOpusWriter,
  OpusApplication,
  type OpusDecoder,
  type OpusEncoder,
  OpusSignal,
} from "@parley/audio";
import { type RecordingRateHz, readSpool, type Spool, SPOOL_RATE_HZ } from "./recording-format.ts";
import { StereoTimeline } from "./recording-timeline.ts";
import { RecordingVoice } from "./recording-voice.ts";

const PACKET_SAMPLES = SPOOL_RATE_HZ / 50;
/** Bit rates for two voices that rarely overlap. Crosstalk between the channels is 64 dB down (measured). */
const bitrates = { 8000: 24_000, 16_000: 32_000, 48_000: 48_000 } as const;
/** Opus complexity, 0 to 10. More costs time without an audible gain. */
const COMPLEXITY = 5;

/**
 * Encodes a spool into an Ogg Opus file with the caller on the left and the agent on the right, aligned in time. Blocks the
 * process throughout, disk access included: runs in a process of its own.
 *
 * @returns Length of the recording in milliseconds; `undefined` if the file is not a spool
 */
export async function encodeRecording(spoolFile: string, file: string): Promise<number | undefined> {
  const spool = readSpool(spoolFile);
  if (spool === undefined) return undefined;
  const { sampleRateHz: sampleRate } = spool;
  const encoder = await createOpusEncoder({
    sampleRate,
    channels: 2,
    // `Voip` would filter the sound for telephones.
    application: OpusApplication.Audio,
    signal: OpusSignal.Voice,
    bitrate: bitrates[sampleRate],
    complexity: COMPLEXITY,
  });
  const decoders = {
    caller: await createOpusDecoder({ sampleRate, channels: 1 }),
    agent: await createOpusDecoder({ sampleRate, channels: 1 }),
  };
  try {
    const output = new RecordingFile(file, sampleRate, encoder);
    try {
      const samples = mix(spool, decoders, (frame) => output.write(frame));
      output.end(samples);
      return Math.round((1000 * samples) / sampleRate);
    } finally {
      output.close();
    }
  } finally {
    for (const codec of [encoder, decoders.caller, decoders.agent]) codec.free();
  }
}

/** Returns the number of samples. */
function mix(
  { sampleRateHz, records }: Spool,
  decoders: Readonly<Record<"caller" | "agent", OpusDecoder>>,
  onFrame: (interleaved: Int16Array) => void,
): number {
  const timeline = new StereoTimeline(sampleRateHz, onFrame);
  const caller = new RecordingVoice(sampleRateHz, decoders.caller);
  const agent = new RecordingVoice(sampleRateHz, decoders.agent);
  for (const record of records) {
    switch (record.type) {
      case "caller":
        timeline.place(0, record.at, caller.decode(record.codec, record.payload));
        break;
      case "agent":
        timeline.place(1, record.at, agent.decode(record.codec, record.payload));
        break;
      case "lost":
        timeline.place(0, record.at, caller.conceal(record.samples));
        break;
      case "time":
        timeline.reach(record.at);
        break;
    }
  }
  return timeline.end();
}

/** The Ogg file while it is written. */
class RecordingFile {
  readonly #descriptor: number;
  readonly #encoder: OpusEncoder;
  readonly #sampleRateHz: RecordingRateHz;
  readonly #preSkip: number;
  readonly #ogg: OggOpusWriter;
  #packets = 0;

  constructor(file: string, sampleRateHz: RecordingRateHz, encoder: OpusEncoder) {
    this.#encoder = encoder;
    this.#sampleRateHz = sampleRateHz;
    this.#preSkip = (encoder.getLookahead() * SPOOL_RATE_HZ) / sampleRateHz;
    // It contains the caller's words.
    this.#descriptor = openSync(file, "w", 0o600);
    this.#ogg = new OggOpusWriter({
      channels: 2,
      preSkip: this.#preSkip,
      inputSampleRateHz: sampleRateHz,
      // Any serial number will do: the file has one stream.
      serialNumber: 1,
      vendor: "Parley, libopus-wasm",
      write: (page) => void writeSync(this.#descriptor, page),
    });
  }

  /** @param frame 20 ms. */
  write(frame: Int16Array): void {
    this.#ogg.packet(this.#encoder.encode(frame), PACKET_SAMPLES);
    this.#packets += 1;
  }

  /** @param samples Length of the audio. The encoder delays the last part until more follows. */
  end(samples: number): void {
    const length = (samples * SPOOL_RATE_HZ) / this.#sampleRateHz;
    const silence = new Int16Array((2 * this.#sampleRateHz) / 50);
    while (this.#packets * PACKET_SAMPLES < length + this.#preSkip) this.write(silence);
    this.#ogg.end(length);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
