import assert from "node:assert/strict";
import { test } from "node:test";
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
  const fastestMs = (header: string): number =>
    Math.min(
      ...Array.from({ length: 9 }, () => {
        const start = performance.now();
        readIceServers(header);
        return performance.now() - start;
      }),
    );
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
      const [single, double] = [fastestMs(header(50_000)), fastestMs(header(100_000))];
      // Quadratic work would take seconds.
      assert.ok(double < 250 || double < 3.2 * single, `${atom} before ${end}: ${single} ms, ${double} ms`);
    }
  }
});
