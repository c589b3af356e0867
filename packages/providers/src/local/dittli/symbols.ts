import type { SpokenToken } from "../phonemes/pronounce.ts";

/** Symbols and numbers of the model's metadata.json. */
export interface DittliMetadata {
  languageId: number;
  toneOffset: number;
  symbols: readonly string[];
}

/** The model's three inputs, with one entry per symbol. */
export interface DittliInput {
  symbols: number[];
  /** Stress, in the numbering of a model that also supports tonal languages. */
  tones: number[];
  languages: number[];
}

/** Request to the model's process. */
export interface DittliRequest {
  input: DittliInput;
  /** 1 is the voice's own pace. */
  speed: number;
}

/** Marks that the model supports; others are spoken like a comma. */
const MARKS = new Set([",", ".", "!", "?", "…"]);
const EDGE = "_";

function symbolAndTone(phone: string): [symbol: string, tone: number] {
  const stress = /\d$/.exec(phone)?.[0];
  const symbol = phone.toLowerCase().replace(/\d$/, "");
  return [symbol === "v" ? "V" : symbol, stress === undefined ? 0 : Number(stress) + 1];
}

/** Converts spoken tokens to the model's input, with a blank (0) between symbols and at both ends. */
export function dittliInput(tokens: readonly SpokenToken[], metadata: DittliMetadata): DittliInput {
  const spoken = tokens.flatMap((token): [string, number][] =>
    token.kind === "word" ? token.phones.map(symbolAndTone) : [[MARKS.has(token.mark) ? token.mark : ",", 0]],
  );
  const unknown = metadata.symbols.indexOf("UNK");
  const input: DittliInput = { symbols: [0], tones: [0], languages: [0] };
  for (const [symbol, tone] of [[EDGE, 0] as const, ...spoken, [EDGE, 0] as const]) {
    const id = metadata.symbols.indexOf(symbol);
    input.symbols.push(id < 0 ? unknown : id, 0);
    input.tones.push(tone + metadata.toneOffset, 0);
    input.languages.push(metadata.languageId, 0);
  }
  return input;
}
