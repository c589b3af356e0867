/** What people and machines say when they answer a call, in English: the local voices speak no other language. */
import { heldOutTexts } from "./texts-held-out.ts";
import { tuningTexts } from "./texts-tuning.ts";

export type SetName = "tuning" | "held-out";

/** Texts and the voices of Kokoro that speak them. Dittli has only one voice, which differs by pitch and pace. */
export interface SpokenTexts {
  voices: readonly string[];
  people: readonly string[];
  machines: readonly string[];
  /** Services that ask who calls, before a person answers. */
  screening: readonly string[];
}

export interface SpokenText {
  set: SetName;
  by: "human" | "machine" | "screening";
  text: string;
  voices: readonly string[];
}

export const texts: readonly SpokenText[] = [
  ...tuningTexts.flatMap((each) => listed("tuning", each)),
  ...listed("held-out", heldOutTexts),
];

function listed(set: SetName, { voices, people, machines, screening }: SpokenTexts): SpokenText[] {
  return [
    ...people.map((text) => ({ set, by: "human" as const, text, voices })),
    ...machines.map((text) => ({ set, by: "machine" as const, text, voices })),
    ...screening.map((text) => ({ set, by: "screening" as const, text, voices })),
  ];
}
