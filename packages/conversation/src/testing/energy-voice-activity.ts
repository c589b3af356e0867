import type {
  VoiceActivityDetector,
  VoiceActivityOptions,
  VoiceActivityStream,
} from "../providers/voice-activity.ts";

const WINDOW_MS = 32;
const SPEECH_LEVEL = 500;

/** Detector that takes every loud window for speech. */
export class EnergyVoiceActivityDetector implements VoiceActivityDetector {
  open(options: VoiceActivityOptions): VoiceActivityStream {
    const windowSamples = (WINDOW_MS * options.sampleRateHz) / 1000;
    let written = 0;
    let filled = 0;
    let energy = 0;
    let isClosed = false;
    return {
      write(pcm) {
        for (const sample of pcm) {
          if (isClosed) return;
          energy += sample * sample;
          written++;
          filled++;
          if (filled < windowSamples) continue;
          const level = Math.sqrt(energy / windowSamples);
          filled = 0;
          energy = 0;
          options.onProbability(level > SPEECH_LEVEL ? 0.95 : 0.02, written);
        }
      },
      close() {
        isClosed = true;
      },
    };
  }
}
