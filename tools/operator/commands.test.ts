import assert from "node:assert/strict";
import test from "node:test";
import { readCommand, UsageError } from "./commands.ts";

const environment = { PARLEY_OPERATOR_API_KEY: "operator_key_of_this_test", PARLEY_HTTP_PORT: "8090" };
const read = (line: string) => readCommand(line.split(" "), environment);
const organizations = "http://127.0.0.1:8090/operator/v1/organizations";
const apiKey = environment.PARLEY_OPERATOR_API_KEY;

test("commands are requests to the operator's API", () => {
  assert.deepEqual(read("organizations list"), { method: "GET", url: `${organizations}?page=1`, apiKey });
  assert.deepEqual(read("organizations get a/b"), { method: "GET", url: `${organizations}/a%2Fb`, apiKey });
  const settings =
    "--billing off --premium-rate on --home-country DE --allowed-countries DE,AT --limit agents=5 --limit sipTrunks=default";
  const body = {
    isBillingActive: false,
    homeCountry: "DE",
    allowedCountries: ["DE", "AT"],
    isPremiumRateAllowed: true,
    limits: { agents: 5, sipTrunks: null },
  };
  assert.deepEqual(read(`organizations create --name Club ${settings}`), {
    method: "POST",
    url: organizations,
    apiKey,
    body: { name: "Club", ...body },
  });
  assert.deepEqual(read(`organizations update 7 ${settings} --url https://node.example/`), {
    method: "PATCH",
    url: "https://node.example/operator/v1/organizations/7",
    apiKey,
    body,
  });
  assert.deepEqual(read("organizations update 7 --home-country none --allowed-countries default").body, {
    homeCountry: null,
    allowedCountries: null,
  });
});

test("numbers are listed and released", () => {
  const numbers = "http://127.0.0.1:8090/operator/v1/number-claims";
  assert.deepEqual(read("numbers list"), { method: "GET", url: `${numbers}?page=1`, apiKey });
  assert.deepEqual(read("numbers list +4930123 --organization 7 --page 2"), {
    method: "GET",
    url: `${numbers}?page=2&e164=%2B4930123&organizationId=7`,
    apiKey,
  });
  assert.deepEqual(read("numbers release a/b"), { method: "DELETE", url: `${numbers}/a%2Fb`, apiKey });
});

test("a wrong command line is refused with how to write it", () => {
  for (const line of [
    "",
    "organizations",
    "organizations delete 7",
    "organizations get",
    "organizations list 7",
    "organizations get 7 8",
    "organizations create",
    "organizations create --nam Club",
    "organizations update 7 --billing maybe",
    "organizations update 7 --limit agents",
    "agents list",
    "numbers release",
    "numbers delete 7",
    "numbers release 7 8",
  ]) {
    assert.throws(
      () => read(line),
      (error) => error instanceof UsageError && error.message.includes("Usage:"),
      line,
    );
  }
  assert.throws(() => readCommand(["organizations", "list"], {}), /PARLEY_OPERATOR_API_KEY is not set/);
});
