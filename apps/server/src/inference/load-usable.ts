import { loadTested, type LoadTestedOptions, UnusableModelError } from "@parley/providers/local";
import type { ModelReport } from "./model-states.ts";

/** Loads a model and reports whether it is used; `undefined` if it cannot be opened or fails its self-test. */
export async function loadUsable<Model extends { close: () => Promise<void> }>(
  report: (report: ModelReport) => void,
  options: LoadTestedOptions<Model>,
): Promise<Model | undefined> {
  const { group } = options;
  try {
    const model = await loadTested(options);
    report({ type: "model", group, fault: undefined });
    return model;
  } catch (error) {
    if (!(error instanceof UnusableModelError)) throw error;
    report({ type: "model", group, fault: error.message });
    return undefined;
  }
}

interface WarmableModel {
  warmUp: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Runs a model once, so that the first call does not wait for what only its first run takes; closes it if that fails.
 *
 * @param options.isWanted `false` for a model that no call may need.
 * @param options.run In place of the model's own first run.
 */
export async function warmedUp<Model extends WarmableModel>(
  model: Model,
  { isWanted = true, run }: { isWanted?: boolean; run?: (model: Model) => Promise<unknown> } = {},
): Promise<Model> {
  try {
    if (isWanted) await (run?.(model) ?? model.warmUp());
    return model;
  } catch (error) {
    await model.close();
    throw error;
  }
}
