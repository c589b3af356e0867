import { availableParallelism } from "node:os";
import {
  addToSpeedRecord,
  askMoonshine,
  askVoice,
  chooseSpeechFit,
  DEFAULT_LOCAL_VOICE,
  FAST_LOCAL_VOICE,
  type Lexicon,
  loadDittli,
  loadKokoro,
  loadLexicon,
  loadMoonshine,
  MAX_RECOGNIZER_FACTOR,
  measureRecognizer,
  measureVoice,
  type Moonshine,
  type MoonshineSize,
  readSpeedRecord,
  type SpeechEngine,
  type SpeechFit,
  type SpeechFitSettings,
  type SpeechSpeeds,
  type SpeedMeasurement,
  type SpeedName,
} from "@parley/providers/local";
import { ensureModels } from "@parley/providers/models";
import { loadUsable } from "./load-usable.ts";
import type { ModelReport } from "./model-states.ts";

export interface SpeechModels {
  moonshine: Moonshine | undefined;
  voices: { kokoro?: SpeechEngine; dittli?: SpeechEngine };
}

interface SpeechLoaderOptions {
  modelsDir: string;
  hasSpeechToText: boolean;
  hasTextToSpeech: boolean;
  settings: SpeechFitSettings;
  /** Called for each model that was loaded, and for each that is unusable. */
  onModel: (report: ModelReport) => void;
}

/** Loads the speech models that fit this machine. */
export class SpeechLoader {
  readonly #options: SpeechLoaderOptions;
  readonly #cores = availableParallelism();
  readonly #lexicon: Promise<Lexicon> | undefined;

  constructor(options: SpeechLoaderOptions) {
    this.#options = options;
    this.#lexicon = options.hasTextToSpeech ? loadLexicon() : undefined;
  }

  /** Loads the models that earlier measurements recommend; `isMeasured` is `false` if some must be measured. */
  async load(): Promise<{ models: SpeechModels; fit: SpeechFit; isMeasured: boolean }> {
    const { modelsDir, settings } = this.#options;
    const record = await readSpeedRecord({ modelsDir, cores: this.#cores });
    const speeds = record?.speeds ?? {};
    const isMeasured = record?.isFinal === true && this.#expectedSpeeds().every((name) => name in speeds);
    const fit = chooseSpeechFit(speeds, this.#cores, settings, record?.isDisturbed);
    const threads = isMeasured ? fit.kokoroThreads : this.#threadCounts()[0];
    const [moonshine, kokoro, dittli] = await Promise.all([
      this.#loadRecognizer(fit.recognizer),
      this.#loadKokoro(threads ?? fit.kokoroThreads),
      this.#loadDittli(),
    ]);
    const models = { moonshine, voices: { ...(kokoro && { kokoro }), ...(dittli && { dittli }) } };
    return { models, fit, isMeasured };
  }

  /**
   * Measures the loaded models, and replacements for those that are too slow. Takes some seconds in which nothing else
   * should run. Models that are not chosen are closed.
   */
  async measure({ moonshine, voices }: SpeechModels): Promise<{ models: SpeechModels; fit: SpeechFit }> {
    const { modelsDir, settings } = this.#options;
    const measured: Partial<Record<SpeedName, number>> = {};
    let isDisturbed = false;
    const note = (name: SpeedName, measurement: SpeedMeasurement): void => {
      measured[name] = measurement.factor;
      isDisturbed ||= measurement.isDisturbed;
    };
    if (moonshine) note(toName(moonshine), await measureRecognizer(moonshine));
    const tiny = await this.#loadTinyInstead(measured["moonshine-base"]);
    if (tiny) note("moonshine-tiny", await measureRecognizer(tiny));
    if (voices.dittli) note("dittli", await measureVoice(voices.dittli, nameOf(FAST_LOCAL_VOICE), 1));
    let { kokoro } = voices;
    let openThreads: number | undefined;
    for (const threads of kokoro === undefined ? [] : this.#threadCounts()) {
      if (openThreads !== undefined) kokoro = await this.#reopenKokoro(kokoro, threads);
      openThreads = threads;
      if (kokoro) note(`kokoro-${threads}`, await measureVoice(kokoro, nameOf(DEFAULT_LOCAL_VOICE), threads));
    }
    const record = { modelsDir, cores: this.#cores };
    const speeds: SpeechSpeeds = await addToSpeedRecord(record, measured, isDisturbed);
    const fit = chooseSpeechFit(speeds, this.#cores, settings, isDisturbed);
    if (kokoro && openThreads !== fit.kokoroThreads)
      kokoro = await this.#reopenKokoro(kokoro, fit.kokoroThreads);
    const isTinyChosen = tiny !== undefined && fit.recognizer === "tiny";
    await (isTinyChosen ? moonshine : tiny)?.close();
    const { dittli } = voices;
    return {
      fit,
      models: {
        moonshine: isTinyChosen ? tiny : moonshine,
        voices: { ...(kokoro && { kokoro }), ...(dittli && { dittli }) },
      },
    };
  }

  /** Candidate numbers of threads. */
  #threadCounts(): number[] {
    const { kokoroThreads } = this.#options.settings;
    if (kokoroThreads !== undefined) return [kokoroThreads];
    return this.#cores === 1 ? [1] : [1, 2];
  }

  #expectedSpeeds(): SpeedName[] {
    const { hasSpeechToText, hasTextToSpeech, settings } = this.#options;
    return [
      ...(hasSpeechToText ? [`moonshine-${settings.recognizer ?? "base"}` as const] : []),
      ...(hasTextToSpeech ? this.#threadCounts().map((threads) => `kokoro-${threads}` as const) : []),
      ...(hasTextToSpeech ? ["dittli" as const] : []),
    ];
  }

  async #loadRecognizer(size: MoonshineSize): Promise<Moonshine | undefined> {
    const { modelsDir, hasSpeechToText, onModel } = this.#options;
    if (!hasSpeechToText) return undefined;
    return await loadUsable(onModel, {
      modelsDir,
      group: `moonshine-${size}`,
      load: async () => await loadMoonshine({ modelsDir, size, threads: 1 }),
      ask: askMoonshine,
    });
  }

  /** `undefined` if the larger model is fast enough or chosen by the operator, or if the smaller one is unavailable. */
  async #loadTinyInstead(baseFactor = 0): Promise<Moonshine | undefined> {
    const { modelsDir, settings } = this.#options;
    if (baseFactor <= MAX_RECOGNIZER_FACTOR || settings.recognizer !== undefined) return undefined;
    try {
      await ensureModels({ modelsDir, groups: ["moonshine-tiny"] });
    } catch {
      return undefined;
    }
    return await this.#loadRecognizer("tiny");
  }

  async #loadKokoro(threads: number): Promise<SpeechEngine | undefined> {
    const { modelsDir, onModel } = this.#options;
    const lexicon = await this.#lexicon;
    if (lexicon === undefined) return undefined;
    return await loadUsable(onModel, {
      modelsDir,
      group: "kokoro",
      load: async () => await opened(await loadKokoro({ modelsDir, lexicon, threads })),
      ask: async (engine) => await askVoice(engine, nameOf(DEFAULT_LOCAL_VOICE)),
    });
  }

  async #reopenKokoro(open: SpeechEngine | undefined, threads: number): Promise<SpeechEngine | undefined> {
    // Two models at a time would take 300 MB more.
    await open?.close();
    return await this.#loadKokoro(threads);
  }

  async #loadDittli(): Promise<SpeechEngine | undefined> {
    const { modelsDir, onModel } = this.#options;
    const lexicon = await this.#lexicon;
    if (lexicon === undefined) return undefined;
    return await loadUsable(onModel, {
      modelsDir,
      group: "dittli",
      load: async () => await opened(await loadDittli({ modelsDir, lexicon })),
      ask: async (engine) => await askVoice(engine, nameOf(FAST_LOCAL_VOICE)),
    });
  }
}

/** Opens the model of a voice; closes the voice if that fails. */
async function opened(engine: SpeechEngine): Promise<SpeechEngine> {
  try {
    await engine.warmUp();
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Voice name within its engine. */
function nameOf(voiceId: string): string {
  return voiceId.slice(voiceId.indexOf("/") + 1);
}

function toName({ name }: Moonshine): SpeedName {
  return name.endsWith("tiny") ? "moonshine-tiny" : "moonshine-base";
}
