import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "@parley/testing";
import { readIceServers } from "./link-header.ts";

test("STUN and TURN servers are read from a Link header with commas in quotes", () => {
  const header =
    '<stun:stun.example.net>; rel="ice-server", ' +
    '<turn:turn.example.net?transport=udp>; rel="ice-server"; username="1700000000:a,b"; ' +
    'credential="x\\"y"; credential-type="password"';
  assert.deepEqual(readIceServers(header), [
    { urls: "stun:stun.example.net" },
    { urls: "turn:turn.example.net?transport=udp", username: "1700000000:a,b", credential: 'x"y' },
  ]);
});

test("other links and a missing header give no ICE servers", () => {
  assert.deepEqual(
    readIceServers('<https://example.net>; rel="help", <https://example.net>; rel=ice-server'),
    [],
  );
  assert.deepEqual(readIceServers(null), []);
});

test("a header is read in linear time for every repeated text", () => {
  for (const atom of [
    "<",
    ">",
    '"',
    "\\",
    '\\"',
    " ",
    ";",
    "; a",
    "; a=",
    '; a="',
    ",",
    "<a>",
    "<a>;",
    "<a> ",
  ]) {
    for (const end of ["", "x", '"', "; rel=a"]) {
      const header = (length: number): string => `<stun:a>; a${atom.repeat(length / atom.length)}${end}`;
      assertLinear(`${atom} before ${end}`, header, readIceServers, 50_000);
    }
  }
});
