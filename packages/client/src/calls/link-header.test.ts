import assert from "node:assert/strict";
import { test } from "node:test";
import { readIceServers } from "./link-header.ts";

test("STUN and TURN servers are read from a Link header, commas in quotes included", () => {
  const header =
    '<stun:stun.example.net>; rel="ice-server", ' +
    '<turn:turn.example.net?transport=udp>; rel="ice-server"; username="1700000000:a,b"; ' +
    'credential="x\\"y"; credential-type="password"';
  assert.deepEqual(readIceServers(header), [
    { urls: "stun:stun.example.net" },
    { urls: "turn:turn.example.net?transport=udp", username: "1700000000:a,b", credential: 'x"y' },
  ]);
});

test("other links, and no header, are no ICE servers", () => {
  assert.deepEqual(
    readIceServers('<https://example.net>; rel="help", <https://example.net>; rel=ice-server'),
    [],
  );
  assert.deepEqual(readIceServers(null), []);
});
