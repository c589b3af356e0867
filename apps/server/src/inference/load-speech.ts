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
import { loadUsable, warmedUp } from "./load-usable.ts";
import type { ModelReport } from "./model-states.ts";

export interface SpeechModels {
  moonshine: Moonshine | undefined;
  voices: { kokoro?: SpeechEngine; dittli?: SpeechEngine };
}

interface SpeechLoaderOptions {
  modelsDir: string;
  hasSpeechToText: boolean;
  hasTextToSpeech: boolean;
  /** Ids of the local voices that agents use (empty: the default). Only these are opened; others when they first speak. */
  voicesInUse: Promise<readonly string[]>;
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
    const threads = isMeasured ? fit.kokoroThreads : (this.#threadCounts()[0] ?? fit.kokoroThreads);
    const [moonshine, voices] = await Promise.all([
      this.#loadRecognizer(fit.recognizer),
      this.#loadVoices(threads, isMeasured ? fit : undefined),
    ]);
    return { models: { moonshine, voices }, fit, isMeasured };
  }

  /**
   * Measures the loaded models, and replacements for those that are too slow. Takes some seconds in which nothing else
   * should run. Models that are not chosen, and voices that are not in use, are closed.
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
      if (openThreads !== undefined) kokoro = await this.#reloadKokoro(kokoro, threads, true);
      openThreads = threads;
      if (kokoro) note(`kokoro-${threads}`, await measureVoice(kokoro, nameOf(DEFAULT_LOCAL_VOICE), threads));
    }
    const record = { modelsDir, cores: this.#cores };
    const speeds: SpeechSpeeds = await addToSpeedRecord(record, measured, isDisturbed);
    const fit = chooseSpeechFit(speeds, this.#cores, settings, isDisturbed);
    const used = await this.#enginesInUse(fit);
    if (kokoro && (openThreads !== fit.kokoroThreads || !used.has("kokoro")))
      kokoro = await this.#reloadKokoro(kokoro, fit.kokoroThreads, used.has("kokoro"));
    const isTinyChosen = tiny !== undefined && fit.recognizer === "tiny";
    await (isTinyChosen ? moonshine : tiny)?.close();
    let { dittli } = voices;
    if (dittli && !used.has("dittli")) {
      await dittli.close();
      dittli = await this.#loadDittli(false);
    }
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
      load: async () =>
        // Silence leaves the first sentence nearly as slow as without a first run (measured).
        await warmedUp(await loadMoonshine({ modelsDir, size, threads: 1 }), { run: askMoonshine }),
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

  /** @param fit Decides with the voices in use which of them are opened; `undefined`: all, to be measured. */
  async #loadVoices(threads: number, fit: SpeechFit | undefined): Promise<SpeechModels["voices"]> {
    if (!this.#options.hasTextToSpeech) return {};
    const used = fit && (await this.#enginesInUse(fit));
    const [kokoro, dittli] = await Promise.all([
      this.#loadKokoro(threads, used?.has("kokoro") ?? true),
      this.#loadDittli(used?.has("dittli") ?? true),
    ]);
    return { ...(kokoro && { kokoro }), ...(dittli && { dittli }) };
  }

  async #enginesInUse({ defaultVoice }: SpeechFit): Promise<ReadonlySet<string | undefined>> {
    if (!this.#options.hasTextToSpeech) return new Set();
    const voiceIds = await this.#options.voicesInUse;
    return new Set(voiceIds.map((voiceId) => (voiceId === "" ? defaultVoice : voiceId).split("/")[0]));
  }

  async #loadKokoro(threads: number, isOpened: boolean): Promise<SpeechEngine | undefined> {
    const { modelsDir, onModel } = this.#options;
    const lexicon = await this.#lexicon;
    if (lexicon === undefined) return undefined;
    return await loadUsable(onModel, {
      modelsDir,
      group: "kokoro",
      load: async () =>
        await warmedUp(await loadKokoro({ modelsDir, lexicon, threads }), { isWanted: isOpened }),
      ask: async (engine) => await askVoice(engine, nameOf(DEFAULT_LOCAL_VOICE)),
    });
  }

  async #reloadKokoro(
    open: SpeechEngine | undefined,
    threads: number,
    isOpened: boolean,
  ): Promise<SpeechEngine | undefined> {
    // Two models at a time would take 300 MB more.
    await open?.close();
    return await this.#loadKokoro(threads, isOpened);
  }

  async #loadDittli(isOpened: boolean): Promise<SpeechEngine | undefined> {
    const { modelsDir, onModel } = this.#options;
    const lexicon = await this.#lexicon;
    if (lexicon === undefined) return undefined;
    return await loadUsable(onModel, {
      modelsDir,
      group: "dittli",
      load: async () => await warmedUp(await loadDittli({ modelsDir, lexicon }), { isWanted: isOpened }),
      ask: async (engine) => await askVoice(engine, nameOf(FAST_LOCAL_VOICE)),
    });
  }
}

/** Voice name within its engine. */
function nameOf(voiceId: string): string {
  return voiceId.slice(voiceId.indexOf("/") + 1);
}

function toName({ name }: Moonshine): SpeedName {
  return name.endsWith("tiny") ? "moonshine-tiny" : "moonshine-base";
}
