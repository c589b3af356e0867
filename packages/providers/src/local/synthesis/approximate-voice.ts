import { PITCH_RANGE, RATE_RANGE, type ShapedVoice, within } from "./shaped-voice.ts";
import { LOCAL_VOICES, type LocalVoice } from "./voices.ts";

/** How a person speaks, measured in a recording. */
export interface MeasuredSpeech {
  /** Median. */
  pitchHz: number;
  /** As `speechRate` of the audio package estimates it. */
  syllablesPerSecond: number;
}

/** Whispers, and plays a part. */
const unsuited: ReadonlySet<string> = new Set(["kokoro/af_nicole", "kokoro/am_santa"]);
/** Below the first pitch speakers are taken for men, above the second for women. */
const MEN_BELOW_HZ = 145;
const WOMEN_ABOVE_HZ = 175;

/**
 * The local voice whose pitch is nearest, and the factors that bring its pitch and pace to those of the recording. It
 * does not have the person's timbre or accent.
 *
 * @param engine Engine whose voices this machine can afford.
 * @param language BCP 47. Voices of its region are preferred.
 */
export function approximateVoice(
  { pitchHz, syllablesPerSecond }: MeasuredSpeech,
  engine: LocalVoice["engine"],
  language: string,
): ShapedVoice {
  const voices = LOCAL_VOICES.filter((voice) => voice.engine === engine && !unsuited.has(voice.id));
  const alike = prefer(voices, ({ gender }) => isPlausible(gender, pitchHz));
  const ofRegion = prefer(alike, (voice) => voice.language.toLowerCase() === language.toLowerCase());
  const distance = (voice: LocalVoice): number => Math.abs(Math.log(pitchHz / voice.pitchHz));
  const [nearest] = ofRegion.toSorted((a, b) => distance(a) - distance(b));
  if (nearest === undefined) throw new Error(`the engine ${engine} has no voices`);
  return {
    voice: nearest.id,
    pitch: within(pitchHz / nearest.pitchHz, PITCH_RANGE),
    rate: within(syllablesPerSecond / nearest.syllablesPerSecond, RATE_RANGE),
  };
}

/** The voices of this kind, or all if there are none. */
function prefer(
  voices: readonly LocalVoice[],
  isKind: (voice: LocalVoice) => boolean,
): readonly LocalVoice[] {
  const found = voices.filter(isKind);
  return found.length > 0 ? found : voices;
}

function isPlausible(gender: LocalVoice["gender"], pitchHz: number): boolean {
  return gender === "male" ? pitchHz <= WOMEN_ABOVE_HZ : pitchHz >= MEN_BELOW_HZ;
}
