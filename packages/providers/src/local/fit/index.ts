/** The part of the fit that the main process uses, without the models' own code. */
export { approximateVoice, type MeasuredSpeech } from "../synthesis/approximate-voice.ts";
export { formatShapedVoice, parseShapedVoice } from "../synthesis/shaped-voice.ts";
export { FAST_LOCAL_VOICE, LOCAL_VOICES } from "../synthesis/voices.ts";
export {
  countFurtherCalls,
  demandOf,
  type LocalSpeechUse,
  type SpeechDemand,
  sumDemands,
} from "./speech-capacity.ts";
export { chooseSpeechFit, type SpeechFit, type SpeechFitSettings } from "./speech-fit.ts";
