import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { fastify } from "fastify";
import { FailedAttempts } from "../platform/http/failed-attempts.ts";
import { sendError } from "../platform/http/errors.ts";
import { registerDiagnosis } from "./diagnosis.routes.ts";
import { failed, ok } from "./finding.ts";

const operatorApiKey = "operator_key_of_this_test";
const url = "/operator/v1/diagnosis";

test("only the operator's key gets the diagnosis, and requests at once share one", async () => {
  let runs = 0;
  const app = fastify();
  app.setErrorHandler(sendError);
  app.decorate("failedAttempts", new FailedAttempts());
  app.decorate("findSessionUser", async () => undefined);
  app.decorateRequest("operator", undefined);
  registerDiagnosis(app, {
    operatorApiKey,
    diagnose: async () => {
      runs += 1;
      await turn();
      return [
        { check: "node", ...ok("Node 24.") },
        { check: "disk", ...failed("Full.", "Free some space.") },
      ];
    },
  });
  try {
    for (const key of [undefined, "", "operator_key_of_this_tes", `${operatorApiKey}x`]) {
      const headers = key === undefined ? {} : { "x-api-key": key };
      assert.equal((await app.inject({ url, headers })).statusCode, 401);
    }
    assert.equal(runs, 0);
    const headers = { "x-api-key": operatorApiKey };
    const answers = await Promise.all([app.inject({ url, headers }), app.inject({ url, headers })]);
    for (const answer of answers) {
      assert.equal(answer.statusCode, 200);
      const { data } = answer.json<{ data: { isOk: boolean; results: { check: string }[] } }>();
      assert.equal(data.isOk, false);
      assert.deepEqual(
        data.results.map(({ check }) => check),
        ["node", "disk"],
      );
    }
    assert.equal(runs, 1);
  } finally {
    await app.close();
  }
});
