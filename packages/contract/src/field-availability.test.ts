import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "typebox";
import { withAvailableOnly } from "./field-availability.ts";
import { changeSchemas, creationSchemas, group, list, notAvailableYet, value } from "./field-table.ts";

const table = {
  speed: value(Type.Number({ description: "Speed." }), 1),
  ...notAvailableYet({
    volume: value(Type.Number({ description: "Volume." }), 1),
    config: value(Type.Unsafe<Record<string, unknown>>({ type: "object" }), {}),
    routes: list({ to: value(Type.String(), "") }, { description: "Routes." }),
    widget: group({
      look: group({ theme: value(Type.String(), "light") }),
      isOn: value(Type.Boolean(), false),
    }),
  }),
};
const defaults = {
  speed: 1,
  volume: 1,
  config: {},
  routes: [],
  widget: { look: { theme: "light" }, isOn: false },
};

test("a value other than the default is refused by its path, at every level", () => {
  const wanted = {
    speed: 2,
    volume: 2,
    config: { a: 1 },
    routes: [{ to: "x" }],
    widget: { look: { theme: "dark" }, isOn: true },
  };
  const { document, refused } = withAvailableOnly(table, defaults, wanted);
  assert.deepEqual(refused, ["volume", "config", "routes", "widget.look.theme", "widget.isOn"]);
  assert.deepEqual(document, { ...defaults, speed: 2 });
});

test("a stored value passes unchanged, in any order of its keys, and can be reset", () => {
  const stored = { ...defaults, volume: 2, config: { a: 1, b: [0] }, routes: [{ to: "x" }] };
  const sent = { ...stored, config: { b: [-0], a: 1 } };
  assert.deepEqual(withAvailableOnly(table, stored, sent).refused, []);
  assert.deepEqual(withAvailableOnly(table, stored, defaults), { document: defaults, refused: [] });
  const { document, refused } = withAvailableOnly(table, stored, { ...stored, volume: 3, config: { a: 1 } });
  assert.deepEqual([refused, document.volume, document.config], [["volume", "config"], 2, stored.config]);
  assert.deepEqual(withAvailableOnly(table, { ...defaults, config: [] as never }, defaults).refused, []);
});

test("the schemas of requests say which fields are not available yet", () => {
  const note = "Not available yet: only the default is accepted.";
  for (const schemas of [creationSchemas(table), changeSchemas(table)]) {
    const described = (name: string): unknown => (schemas[name] as { description?: string }).description;
    assert.equal(described("volume"), `Volume. ${note} Default: \`1\`.`);
    assert.equal(described("routes"), `Routes. ${note}`);
    assert.equal(described("widget"), note);
    assert.doesNotMatch(String(described("speed")), /available/);
  }
});

test("an unavailable field of a list's items is refused by its path, unless it has its default or was stored", () => {
  const lists = {
    routes: list(
      {
        to: value(Type.String(), ""),
        ...notAvailableYet({ wait: value(Type.Number({ description: "Wait." }), 30) }),
      },
      { description: "Routes." },
    ),
  };
  const none = { routes: [] };
  const usual = { routes: [{ to: "x", wait: 30 }] };
  const other = { routes: [...usual.routes, { to: "y", wait: 5 }] };
  assert.deepEqual(withAvailableOnly(lists, none, usual), { document: usual, refused: [] });
  assert.deepEqual(withAvailableOnly(lists, usual, other), { document: usual, refused: ["routes.1.wait"] });
  assert.deepEqual(withAvailableOnly(lists, other, other).refused, []);
});
