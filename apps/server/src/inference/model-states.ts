import type { TestedGroup } from "@parley/providers/local";
import type { Logger } from "pino";
import type { Config } from "../platform/config/config.ts";

/** Sent by the process that loaded a model and, once per machine, tested it. */
export interface ModelReport {
  type: "model";
  group: TestedGroup;
  /** Why the model is not used; `undefined` if it is. */
  fault: string | undefined;
}

type Providers = Pick<Config, "speechToText" | "textToSpeech">;

/** Usability of the node's models, and the fallbacks of unusable ones. */
export class ModelStates {
  readonly #providers: Providers;
  readonly #logger: Logger;
  readonly #faults = new Map<TestedGroup, string | undefined>();

  constructor(providers: Providers, logger: Logger) {
    this.#providers = providers;
    this.#logger = logger;
  }

  /** Each process reports again after every start. */
  record({ group, fault }: ModelReport): void {
    const isNew = fault !== this.#faults.get(group);
    this.#faults.set(group, fault);
    if (fault === undefined || !isNew) return;
    this.#logger.error(
      { model: group, standIn: this.#standInFor(group) ?? "none" },
      this.#describe(group, fault),
    );
  }

  /** Why calls cannot be accepted: unusable models without a fallback. */
  get obstacles(): string[] {
    return this.#describeUnusable((standIn) => standIn === undefined);
  }

  /** Unusable models that calls work without. */
  get warnings(): string[] {
    return this.#describeUnusable((standIn) => standIn !== undefined);
  }

  /** By model: 1 if it is used, 0 if it is unusable. */
  get usability(): ReadonlyMap<string, number> {
    return new Map([...this.#faults].map(([group, fault]) => [group, fault === undefined ? 1 : 0]));
  }

  #describeUnusable(isWanted: (standIn: string | undefined) => boolean): string[] {
    return [...this.#faults].flatMap(([group, fault]) =>
      fault !== undefined && isWanted(this.#standInFor(group)) ? [this.#describe(group, fault)] : [],
    );
  }

  #describe(group: TestedGroup, fault: string): string {
    const standIn = this.#standInFor(group);
    const consequence =
      standIn === undefined
        ? "The node accepts no calls, because there is no fallback"
        : `Fallback: ${standIn}`;
    return `${fault}. ${consequence}. If its file may be damaged, delete it from the models folder and restart.`;
  }

  #standInFor(group: TestedGroup): string | undefined {
    const { speechToText, textToSpeech } = this.#providers;
    switch (group) {
      case "smart-turn":
        return "turns end by silence and text";
      case "minilm":
        return "the built-in responder searches by words";
      case "moonshine-base":
      case "moonshine-tiny":
        return speechToText.provider === "local"
          ? undefined
          : `${speechToText.provider} without a local fallback`;
      case "kokoro":
      case "dittli": {
        const other = group === "kokoro" ? "dittli" : "kokoro";
        if (this.#faults.get(other) === undefined) return `the voice ${VOICE_STAND_INS[group]}`;
        return textToSpeech.provider === "local"
          ? undefined
          : `${textToSpeech.provider} without a local fallback`;
      }
      case "silero":
        return undefined;
    }
  }
}

/** Voices that speak in place of those of an unusable model. */
export const VOICE_STAND_INS = { kokoro: "dittli/male", dittli: "kokoro/am_michael" } as const;
