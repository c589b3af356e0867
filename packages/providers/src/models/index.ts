export { defaultModelsDir } from "./cache.ts";
export { defaultModelGroups, modelCatalogue, type ModelGroup } from "./catalogue.ts";
export { configuredRegistries } from "./registries.ts";
export {
  ensureModels,
  findMissingModels,
  ModelFetchError,
  type EnsureModelsOptions,
  type ModelProgress,
} from "./fetch.ts";
