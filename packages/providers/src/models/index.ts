export { defaultModelsDir } from "./cache.ts";
export { DEFAULT_MODEL_GROUPS, MODEL_CATALOG, type ModelGroup } from "./catalog.ts";
export { configuredRegistries } from "./registries.ts";
export {
  ensureModels,
  findMissingModels,
  ModelFetchError,
  type EnsureModelsOptions,
  type ModelProgress,
} from "./fetch.ts";
export { fetchModelFile, isModelAddress } from "./model-file.ts";
