import assert from "node:assert/strict";
import { test } from "node:test";
import { findFault } from "../../ui/schema-field.rules.ts";
import { trunkFields } from "./trunk-fields.at-build.ts";
import { trunkPresets } from "./trunk-presets.ts";

test("presets set only fields of the contract, to values that it allows", () => {
  for (const { id, values, addressExample } of trunkPresets) {
    const schemas = new Map(Object.entries(trunkFields));
    for (const [name, value] of Object.entries({ proxyAddress: addressExample, ...values })) {
      const schema = schemas.get(name);
      assert.ok(schema, `${id}: ${name}`);
      assert.equal(findFault(schema, value), undefined, `${id}: ${name}`);
    }
  }
});
