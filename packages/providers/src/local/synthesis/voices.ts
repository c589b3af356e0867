/** A voice as displayed in a list of voices. */
export interface LocalVoice {
  /** Value of `TextToSpeechOptions.voice`: `engine/name`. */
  id: string;
  displayName: string;
  /** BCP 47. */
  language: string;
  gender: "female" | "male";
  engine: "kokoro" | "dittli";
}

type KokoroVoice = readonly [name: string, language: "en-US" | "en-GB", gender: LocalVoice["gender"]];

const KOKORO_VOICES: readonly KokoroVoice[] = [
  ["af_heart", "en-US", "female"],
  ["af_bella", "en-US", "female"],
  ["af_nicole", "en-US", "female"],
  ["af_aoede", "en-US", "female"],
  ["af_kore", "en-US", "female"],
  ["af_sarah", "en-US", "female"],
  ["af_alloy", "en-US", "female"],
  ["af_nova", "en-US", "female"],
  ["af_sky", "en-US", "female"],
  ["af_jessica", "en-US", "female"],
  ["af_river", "en-US", "female"],
  ["am_michael", "en-US", "male"],
  ["am_fenrir", "en-US", "male"],
  ["am_puck", "en-US", "male"],
  ["am_echo", "en-US", "male"],
  ["am_eric", "en-US", "male"],
  ["am_liam", "en-US", "male"],
  ["am_onyx", "en-US", "male"],
  ["am_adam", "en-US", "male"],
  ["am_santa", "en-US", "male"],
  ["bf_emma", "en-GB", "female"],
  ["bf_isabella", "en-GB", "female"],
  ["bf_alice", "en-GB", "female"],
  ["bf_lily", "en-GB", "female"],
  ["bm_george", "en-GB", "male"],
  ["bm_fable", "en-GB", "male"],
  ["bm_lewis", "en-GB", "male"],
  ["bm_daniel", "en-GB", "male"],
];

function titleCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The voices that need no account, the best of each kind first. */
export const LOCAL_VOICES: readonly LocalVoice[] = [
  ...KOKORO_VOICES.map(([name, language, gender]): LocalVoice => ({
    id: `kokoro/${name}`,
    displayName: titleCase(name.slice(3)),
    language,
    gender,
    engine: "kokoro",
  })),
  { id: "dittli/male", displayName: "Dittli", language: "en-US", gender: "male", engine: "dittli" },
];

/** Kokoro's best rated voice. */
export const DEFAULT_LOCAL_VOICE = "kokoro/af_heart";
/** For more concurrent calls than Kokoro can serve. */
export const FAST_LOCAL_VOICE = "dittli/male";
