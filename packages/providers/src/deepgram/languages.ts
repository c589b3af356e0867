/** Languages of Nova-3, without regions (https://developers.deepgram.com/docs/models-languages-overview). */
export const NOVA_LANGUAGES = (
  "ar be bg bn bs ca cs da de el en es et fa fi fr he hi hr hu id it ja kn ko lt lv mk mr ms nl no pl pt ro ru sk sl sr sv " +
  "ta te th tl tr uk ur vi zh"
).split(" ");

/** Regions that Nova-3 distinguishes. */
const NOVA_REGIONS: ReadonlySet<string> = new Set(
  "da-dk de-ch en-au en-gb en-in en-nz en-us es-419 fr-ca ko-kr nl-be pt-br pt-pt sv-se th-th zh-cn zh-hk zh-tw".split(
    " ",
  ),
);

/** The code that Deepgram takes for a BCP 47 tag: it refuses regions that it does not know. */
export function toDeepgramLanguage(tag: string): string {
  return NOVA_REGIONS.has(tag.toLowerCase()) ? tag : (tag.split("-")[0] ?? tag);
}
