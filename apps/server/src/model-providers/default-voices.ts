import type { Config } from "../platform/config/config.ts";

type Vendor = Exclude<Config["textToSpeech"]["provider"], "local">;

/** Voices of the vendors for agents that name none. */
export const DEFAULT_VENDOR_VOICES: Readonly<Record<Vendor, string>> = {
  elevenlabs: "21m00Tcm4TlvDq8ikWAM",
  openai: "alloy",
};
