// Languages without regions (BCP 47), as the vendors' documentation lists them.

const list = (codes: string): readonly string[] => codes.split(" ");

/** Deepgram's Nova-3 (https://developers.deepgram.com/docs/models-languages-overview). */
export const DEEPGRAM_LANGUAGES = list(
  "ar be bg bn bs ca cs da de el en es et fa fi fr he hi hr hu id it ja kn ko lt lv mk mr ms nl no pl pt ro ru sk sl sr sv " +
    "ta te th tl tr uk ur vi zh",
);

/** ElevenLabs' Flash v2.5 (https://elevenlabs.io/docs/models). */
export const ELEVENLABS_LANGUAGES = list(
  "ar bg cs da de el en es fi fil fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tr uk vi zh",
);

/** OpenAI's transcription and voices (https://platform.openai.com/docs/guides/speech-to-text). */
export const OPENAI_LANGUAGES = list(
  "af ar az be bg bs ca cs cy da de el en es et fa fi fr gl he hi hr hu hy id is it ja kk kn ko lt lv mi mk mr ms ne nl no " +
    "pl pt ro ru sk sl sr sv sw ta th tl tr uk ur vi zh",
);

/** Regions that Deepgram's Nova-3 distinguishes. */
const DEEPGRAM_REGIONS: ReadonlySet<string> = new Set(
  list(
    "da-dk de-ch en-au en-gb en-in en-nz en-us es-419 fr-ca ko-kr nl-be pt-br pt-pt sv-se th-th zh-cn zh-hk zh-tw",
  ),
);

/** The code that Deepgram takes for a BCP 47 tag: it refuses regions that it does not know. */
export function toDeepgramLanguage(tag: string): string {
  return DEEPGRAM_REGIONS.has(tag.toLowerCase()) ? tag : (tag.split("-")[0] ?? tag);
}
