import type { VoiceSample } from "./provider-kind.ts";

const MAX_NAME_LENGTH = 50;

/** Name of a clone in the account's list of voices, by which it is found again. */
export function cloneNameOf({ id, displayName }: Pick<VoiceSample, "id" | "displayName">): string {
  return `${displayName.slice(0, MAX_NAME_LENGTH)} [parley ${id}]`;
}

/** Id of the sample from which a voice of the account was cloned; `undefined` for other voices. */
export function sampleIdOf(name: string): string | undefined {
  return / \[parley ([\da-f-]{36})\]$/.exec(name)?.[1];
}
