import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelFetchError } from "@parley/providers/models";
import { explainModelError } from "./fetch-models.ts";

test("models that cannot be fetched: says which folder to copy, and where to", () => {
  const { message } = explainModelError(new ModelFetchError("cannot fetch kokoro"), "/srv/models");
  assert.match(
    message,
    /^cannot fetch kokoro\. .*npm run models.*~\/\.cache\/parley\/models to \/srv\/models/,
  );
});

test("a folder that cannot be written is named with its variable", () => {
  const { message } = explainModelError(new Error("EACCES: permission denied"), "/srv/models");
  assert.match(message, /\/srv\/models \(PARLEY_MODELS_DIR\): EACCES/);
});
