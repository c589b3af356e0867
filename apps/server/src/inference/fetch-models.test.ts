import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelFetchError } from "@parley/providers/models";
import { explainModelError } from "./fetch-models.ts";

test("if models cannot be fetched, the error names the folder to copy and its destination", () => {
  const { message } = explainModelError(new ModelFetchError("cannot fetch kokoro"), "/srv/models");
  assert.match(
    message,
    /^cannot fetch kokoro\. .*npm run models.*~\/\.cache\/parley\/models to \/srv\/models/,
  );
});

test("the error for an unwritable folder names its variable", () => {
  const { message } = explainModelError(new Error("EACCES: permission denied"), "/srv/models");
  assert.match(message, /\/srv\/models \(PARLEY_MODELS_DIR\): EACCES/);
});
