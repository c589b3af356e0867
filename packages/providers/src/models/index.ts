export { defaultModelsDir } from "./cache.ts";
export { defaultModelGroups, modelCatalogue, type ModelGroup } from "./catalogue.ts";
export { ensureModels, ModelFetchError, type EnsureModelsOptions, type ModelProgress } from "./fetch.ts";
