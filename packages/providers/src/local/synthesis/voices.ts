/** A voice as displayed in a list of voices. */
export interface LocalVoice {
  /** Value of `TextToSpeechOptions.voice`: `engine/name`. */
  id: string;
  displayName: string;
  /** BCP 47. */
  language: string;
  gender: "female" | "male";
  engine: "kokoro" | "dittli";
  /** Median pitch, measured. */
  pitchHz: number;
  /** As `speechRate` of the audio package estimates it. */
  syllablesPerSecond: number;
}

type KokoroVoice = readonly [
  name: string,
  language: "en-US" | "en-GB",
  gender: LocalVoice["gender"],
  pitchHz: number,
  syllablesPerSecond: number,
];

const KOKORO_VOICES: readonly KokoroVoice[] = [
  ["af_heart", "en-US", "female", 205, 6.71],
  ["af_bella", "en-US", "female", 204, 7.47],
  ["af_nicole", "en-US", "female", 151, 7.74],
  ["af_aoede", "en-US", "female", 182, 5.87],
  ["af_kore", "en-US", "female", 156, 5.95],
  ["af_sarah", "en-US", "female", 197, 6.51],
  ["af_alloy", "en-US", "female", 144, 5.83],
  ["af_nova", "en-US", "female", 166, 5.42],
  ["af_sky", "en-US", "female", 178, 6.56],
  ["af_jessica", "en-US", "female", 213, 5.79],
  ["af_river", "en-US", "female", 186, 5.35],
  ["am_michael", "en-US", "male", 115, 5.74],
  ["am_fenrir", "en-US", "male", 150, 6.22],
  ["am_puck", "en-US", "male", 119, 5.62],
  ["am_echo", "en-US", "male", 110, 6.02],
  ["am_eric", "en-US", "male", 157, 4.73],
  ["am_liam", "en-US", "male", 120, 5.62],
  ["am_onyx", "en-US", "male", 86, 5.95],
  ["am_adam", "en-US", "male", 122, 6.26],
  ["am_santa", "en-US", "male", 167, 6.1],
  ["bf_emma", "en-GB", "female", 179, 6.35],
  ["bf_isabella", "en-GB", "female", 205, 6.81],
  ["bf_alice", "en-GB", "female", 227, 5.86],
  ["bf_lily", "en-GB", "female", 177, 4.83],
  ["bm_george", "en-GB", "male", 141, 4.35],
  ["bm_fable", "en-GB", "male", 124, 7.16],
  ["bm_lewis", "en-GB", "male", 86, 6.11],
  ["bm_daniel", "en-GB", "male", 125, 5.14],
];

function titleCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The voices that need no account, the best of each kind first. */
export const LOCAL_VOICES: readonly LocalVoice[] = [
  ...KOKORO_VOICES.map(([name, language, gender, pitchHz, syllablesPerSecond]): LocalVoice => ({
    id: `kokoro/${name}`,
    displayName: titleCase(name.slice(3)),
    language,
    gender,
    engine: "kokoro",
    pitchHz,
    syllablesPerSecond,
  })),
  {
    id: "dittli/male",
    displayName: "Dittli",
    language: "en-US",
    gender: "male",
    engine: "dittli",
    pitchHz: 155,
    syllablesPerSecond: 4.6,
  },
];

/** Kokoro's best rated voice. */
export const DEFAULT_LOCAL_VOICE = "kokoro/af_heart";
/** For more concurrent calls than Kokoro can serve. */
export const FAST_LOCAL_VOICE = "dittli/male";
