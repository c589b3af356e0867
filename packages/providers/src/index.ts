export { defaultModelsDir } from "./models/cache.ts";
export { defaultModelGroups, modelCatalogue, type ModelGroup } from "./models/catalogue.ts";
export {
  ensureModels,
  ModelFetchError,
  type EnsureModelsOptions,
  type ModelProgress,
} from "./models/fetch.ts";
