/** Labeled set: every situation is derived from the spoken parts, recordings of people and a seeded random number. */
import { seededRandom } from "@parley/testing";
import type { Recording } from "../speech/recordings.ts";
import {
  agentNumberQuestion,
  agentQuestions,
  agentSpeeches,
  type Script,
  scripts,
  textOf,
} from "./phrases.ts";
import {
  addInto,
  babble,
  clicks,
  cough,
  faded,
  normalized,
  rms,
  roomNoise,
  SAMPLES_PER_MS,
  scaled,
  trimmed,
  typing,
} from "./sounds.ts";
import type { SpokenScript } from "./spoken-scripts.ts";

type SituationKind =
  | "whole sentence"
  | "one-word answer"
  | "pause, more to come"
  | "pause, could be all"
  | "number in groups"
  | "barge-in"
  | "backchannel"
  | "cough"
  | "clicks"
  | "typing"
  | "voices in the background"
  | "line echo";

/** Noise under the caller's speech; `undefined` is a quiet line. */
type SnrDb = 15 | 10 | undefined;

export interface Situation {
  id: string;
  kind: SituationKind;
  set: Script["set"];
  /** Expected result: a turn once the caller has finished, an interruption, or nothing. */
  expects: "turn" | "interruption" | "nothing";
  snrDb: SnrDb;
  /** First line of the agent, which an interruption falls into. */
  agentText: string;
  /** Start of the caller's speech: after the agent's first frame, or after its last one if a turn is expected. */
  startMs: number;
  /** 8 kHz, from the start of the caller's speech; any other sounds in it are part of the label. */
  pcm: Int16Array;
  /** Pauses of the caller, first and last millisecond. */
  pauses: readonly (readonly [fromMs: number, toMs: number])[];
  /** Noise during the whole call. */
  noise: Int16Array | undefined;
  echo: { gain: number; delayMs: number } | undefined;
}

/** Speech of a caller. */
type Said = Pick<Situation, "pcm" | "pauses">;

interface Draft {
  name: string;
  kind: SituationKind;
  set: Script["set"];
  said: Said;
  snrDb: SnrDb;
  agentText?: string;
  hasEcho?: boolean;
}

const expectations: Record<SituationKind, Situation["expects"]> = {
  "whole sentence": "turn",
  "one-word answer": "turn",
  "pause, more to come": "turn",
  "pause, could be all": "turn",
  "number in groups": "turn",
  "barge-in": "interruption",
  backchannel: "nothing",
  cough: "nothing",
  clicks: "nothing",
  typing: "nothing",
  "voices in the background": "nothing",
  "line echo": "nothing",
};
/** Shortest and longest pause between two parts; most are nearer to the shortest. */
const pausesMs: Partial<Record<SituationKind, readonly [number, number]>> = {
  "pause, more to come": [300, 1500],
  "pause, could be all": [200, 700],
  "number in groups": [250, 1000],
};
const seed = 20_261_121;
const NOISE_SECONDS = 45;

/** Builds all situations, the same ones in every run. */
export function buildSituations(
  spoken: readonly SpokenScript[],
  recordings: readonly Recording[],
): Situation[] {
  const random = seededRandom(seed);
  const builder = new Builder(spoken, recordings, random);
  return builder.build();
}

/** Script in one voice, divided at its speaker's pauses. */
interface Take {
  script: string;
  voice: string;
  set: Script["set"];
  parts: readonly Int16Array[];
}

function takesOf({ id, set, parts, takes }: Script, spoken: readonly SpokenScript[]): Take[] {
  return takes.map(({ voice, isInOneBreath }) => {
    const text = textOf(parts, isInOneBreath);
    const found = spoken.find((entry) => entry.voice === voice && entry.text === text);
    if (found === undefined) throw new Error(`no recording says "${text}": run with --make-speech`);
    if (parts.length > 1 && text.split(" ").length !== found.wordEndsMs.length)
      throw new Error(`the end of the words of "${text}" is unknown`);
    let words = 0;
    let from = 0;
    const pieces = parts.map((part, index) => {
      words += part.split(" ").length;
      const isLast = index === parts.length - 1;
      const to = isLast ? found.pcm.length : Math.round((found.wordEndsMs[words - 1] ?? 0) * SAMPLES_PER_MS);
      const piece = faded(trimmed(found.pcm.subarray(from, to)).pcm);
      from = to;
      return piece;
    });
    return { script: id, voice, set, parts: pieces };
  });
}

/** The reader of the audio book is only in one set, the other people only in the other. */
function setOf(recording: string | number): Script["set"] {
  if (typeof recording === "number") return recording % 2 === 0 ? "training" : "held-out";
  return recording.startsWith("sense") ? "held-out" : "training";
}

class Builder {
  readonly #random: () => number;
  readonly #takes: readonly Take[];
  readonly #people: ReadonlyMap<string, Int16Array>;
  /** Room hiss and other people's voices, by their distance in level below the caller. */
  readonly #noises: ReadonlyMap<SnrDb, readonly Int16Array[]>;
  readonly #voices: readonly Int16Array[];
  readonly #situations: Situation[] = [];
  #turn = 0;

  constructor(spoken: readonly SpokenScript[], recordings: readonly Recording[], random: () => number) {
    this.#random = random;
    this.#takes = scripts.flatMap((script) => takesOf(script, spoken));
    this.#people = new Map(
      recordings.map(({ file, telephone }) => [
        file.replace(".wav", ""),
        normalized(trimmed(telephone, 0.06).pcm),
      ]),
    );
    this.#voices = spoken.flatMap(({ script, pcm }) => (script.startsWith("whole") ? [pcm] : []));
    const speechLevel = rms(Int16Array.from(this.#voices.flatMap((pcm) => [...pcm])));
    const noises = (snrDb: number): readonly Int16Array[] => {
      const samples = NOISE_SECONDS * 1000 * SAMPLES_PER_MS;
      const level = speechLevel * 10 ** (-snrDb / 20);
      return [roomNoise(samples, level, random), babble(samples, level, this.#voices, random)];
    };
    this.#noises = new Map<SnrDb, readonly Int16Array[]>([
      [15, noises(15)],
      [10, noises(10)],
    ]);
  }

  build(): Situation[] {
    this.#addTakes("whole", "whole sentence", [undefined, 15]);
    for (const [file, pcm] of this.#people) {
      this.#add({
        name: file,
        kind: "whole sentence",
        set: setOf(file),
        said: unbroken(pcm),
        snrDb: undefined,
      });
    }
    this.#addTakes("answer", "one-word answer", [undefined, 15]);
    this.#addTakes("unfinished", "pause, more to come", [undefined, 10]);
    this.#addTakes("open", "pause, could be all", [undefined, 15]);
    this.#addTakes("number", "number in groups", [undefined, 15, 10], agentNumberQuestion);
    this.#addPeoplesNumbers();
    this.#addTakes("interruption", "barge-in", [undefined, 15, 10]);
    for (const file of ["go-forward", "go-somewhere", "digits", "sense-and-sensibility-0880"]) {
      for (const hasEcho of [false, true]) {
        this.#add({
          name: file,
          kind: "barge-in",
          set: setOf(file),
          said: unbroken(this.#person(file)),
          snrDb: undefined,
          hasEcho,
        });
      }
    }
    this.#addTakes("backchannel", "backchannel", [undefined, 15]);
    this.#addSounds();
    return this.#situations;
  }

  #addPeoplesNumbers(): void {
    for (const snrDb of [undefined, 15] as const) {
      for (const files of [
        ["cards-4", "digits"],
        ["digits", "cards-4"],
      ]) {
        const parts = files.map((file) => this.#person(file));
        this.#add({
          name: files.join("+"),
          kind: "number in groups",
          set: "training",
          said: this.#joined(parts, "number in groups"),
          snrDb,
          agentText: agentNumberQuestion,
        });
      }
    }
  }

  #addSounds(): void {
    const make = { cough, clicks, typing };
    for (const kind of ["cough", "clicks", "typing"] as const) {
      for (let i = 1; i <= 10; i++) {
        this.#add({
          name: String(i),
          kind,
          set: setOf(i),
          said: unbroken(make[kind](this.#random)),
          snrDb: i % 3 === 0 ? 15 : undefined,
        });
      }
    }
    const nothing = unbroken(new Int16Array(0));
    for (let i = 1; i <= 10; i++) {
      const snrDb = i % 2 === 0 ? 15 : 10;
      this.#add({ name: String(i), kind: "voices in the background", set: setOf(i), said: nothing, snrDb });
    }
    for (let i = 1; i <= 20; i++) {
      const snrDb = i % 4 === 0 ? 15 : undefined;
      this.#add({ name: String(i), kind: "line echo", set: setOf(i), said: nothing, snrDb, hasEcho: true });
    }
  }

  #addTakes(script: string, kind: SituationKind, noises: readonly SnrDb[], agentText?: string): void {
    for (const { script: id, voice, set, parts } of this.#takes) {
      if (!id.startsWith(`${script}-`)) continue;
      for (const snrDb of noises) {
        const said = this.#joined(parts, kind);
        const name = `${id} ${voice}`;
        this.#add({ name, kind, set, said, snrDb, ...(agentText !== undefined && { agentText }) });
      }
    }
  }

  #joined(parts: readonly Int16Array[], kind: SituationKind): Said {
    const [shortestMs, longestMs] = pausesMs[kind] ?? [0, 0];
    const pieces = parts.flatMap((part, index) => {
      const pauseMs = shortestMs + (longestMs - shortestMs) * this.#random() ** 1.5;
      return index === 0 ? [part] : [new Int16Array(Math.round(pauseMs * SAMPLES_PER_MS)), part];
    });
    const joined = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0));
    const pauses: [number, number][] = [];
    let at = 0;
    for (const [index, piece] of pieces.entries()) {
      const end = at + piece.length;
      addInto(joined, at, piece);
      // Every second piece is a pause.
      if (index % 2 === 1) pauses.push([at / SAMPLES_PER_MS, end / SAMPLES_PER_MS]);
      at = end;
    }
    return { pcm: joined, pauses };
  }

  #person(file: string): Int16Array {
    const pcm = this.#people.get(file);
    if (pcm === undefined) throw new Error(`no recording ${file}`);
    return pcm;
  }

  #add({ name, kind, set, said, snrDb, agentText, hasEcho = false }: Draft): void {
    const expects = expectations[kind];
    const random = this.#random;
    const lines = expects === "turn" ? agentQuestions : agentSpeeches;
    const line = lines[this.#turn % lines.length] ?? "";
    const noises = this.#noises.get(snrDb);
    const noise = kind === "voices in the background" ? noises?.[1] : noises?.[this.#turn % 2];
    this.#situations.push({
      id: `${kind}: ${name}${snrDb === undefined ? "" : `, ${snrDb} dB`}${hasEcho ? ", echo" : ""}`,
      kind,
      set,
      expects,
      snrDb,
      agentText: agentText ?? line,
      startMs: expects === "turn" ? 300 + random() * 1200 : 1500 + random() * 4500,
      pcm: scaled(said.pcm, 10 ** ((random() * 8 - 4) / 20)),
      pauses: said.pauses,
      noise: noise?.subarray(Math.floor((random() * noise.length) / 3)),
      echo: hasEcho ? { gain: 10 ** (-(14 + random() * 14) / 20), delayMs: 40 + random() * 200 } : undefined,
    });
    this.#turn++;
  }
}

function unbroken(pcm: Int16Array): Said {
  return { pcm, pauses: [] };
}
