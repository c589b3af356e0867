import assert from "node:assert/strict";
import { test } from "node:test";
import { listPackages, refuseLicenses, writeNotice } from "./notice.ts";

const lock = {
  packages: {
    "": { version: "0.1.0" },
    "packages/sip": { version: "0.1.0" },
    "node_modules/@parley/sip": { link: true },
    "node_modules/b": { version: "2.0.0", license: "MIT" },
    "node_modules/a": { version: "1.0.0", license: "(GPL-3.0 OR BSD-3-Clause)" },
    "node_modules/b/node_modules/a": { version: "1.0.0", license: "(GPL-3.0 OR BSD-3-Clause)" },
    "node_modules/b/node_modules/@scope/c": { version: "3.0.0", license: "GPL-3.0" },
    "node_modules/tool": { version: "1.0.0", license: "GPL-3.0", dev: true },
    "node_modules/silent": { version: "1.0.0" },
    "node_modules/joined": { version: "1.0.0", license: "MIT AND ISC AND BSD-3-Clause" },
    "node_modules/partly": { version: "1.0.0", license: "MIT AND GPL-3.0" },
  },
};

test("what ships is listed once per version, without workspaces and development tools", () => {
  const ids = listPackages(lock).map(({ name, version }) => `${name}@${version}`);
  assert.deepEqual(ids, [
    "@scope/c@3.0.0",
    "a@1.0.0",
    "b@2.0.0",
    "joined@1.0.0",
    "partly@1.0.0",
    "silent@1.0.0",
  ]);
});

test("a license that is missing or not accepted is refused; of alternatives one suffices, of joint ones all are needed", () => {
  assert.deepEqual(refuseLicenses(listPackages(lock)), [
    "@scope/c@3.0.0 has the license GPL-3.0, which may not ship.",
    "partly@1.0.0 has the license MIT AND GPL-3.0, which may not ship.",
    "silent@1.0.0 has the license (none), which may not ship.",
  ]);
});

test("the notice names packages and models", () => {
  const notice = writeNotice(listPackages(lock), { voice: { license: "Apache-2.0" } });
  assert.match(notice, /^ {2}b 2\.0\.0: MIT$/m);
  assert.match(notice, /^ {2}voice: Apache-2\.0$/m);
});
