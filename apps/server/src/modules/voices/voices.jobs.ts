import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { StoredKey } from "../provider-keys/provider-keys.service.ts";
import { CLONE_JOB, DISCARD_JOB, VERIFY_JOB, type VoiceJob } from "./custom-voices.service.ts";
import type { VoiceCloning } from "./voice-cloning.ts";

/** With intervals of at most a minute: longer than the time after which a voice fails. */
const CLONE_RETRIES = 20;
const VERIFY_RETRIES = 20;
/** Half a day. */
const DISCARD_RETRIES = 720;
const EXPIRE_SECONDS = 150;

export function cloneVoiceJob(cloning: VoiceCloning): JobKind<VoiceJob> {
  return {
    ...CLONE_JOB,
    concurrency: 2,
    retries: CLONE_RETRIES,
    expireSeconds: EXPIRE_SECONDS,
    run: async ({ voiceId }) => await cloning.clone(voiceId),
  };
}

export function discardVoiceJob(cloning: VoiceCloning): JobKind<VoiceJob> {
  return {
    ...DISCARD_JOB,
    retries: DISCARD_RETRIES,
    expireSeconds: EXPIRE_SECONDS,
    run: async ({ voiceId }) => await cloning.discard(voiceId),
  };
}

export function verifyVoicesJob(cloning: VoiceCloning): JobKind<StoredKey> {
  return {
    ...VERIFY_JOB,
    retries: VERIFY_RETRIES,
    expireSeconds: EXPIRE_SECONDS,
    run: async (key) => await cloning.verify(key),
  };
}
