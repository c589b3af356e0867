import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { test } from "node:test";
import { MAX_PIECE_BYTES, readInPieces } from "./read-in-pieces.ts";

test("a stream returns everything in pieces", async () => {
  const sent = randomBytes(100_000);
  const stream = new Readable({ read: () => {} });
  readInPieces(stream);
  stream.push(sent);
  stream.push(null);
  const pieces: Buffer[] = [];
  stream.on("readable", () => {
    for (let piece = stream.read(); piece !== null; piece = stream.read()) pieces.push(piece);
  });
  await once(stream, "end");
  assert.ok(Buffer.concat(pieces).equals(sent));
  assert.ok(pieces.every(({ length }) => length <= MAX_PIECE_BYTES));
});

test("a stream that is destroyed after a piece returns no more", () => {
  const stream = new Readable({ read: () => {} });
  readInPieces(stream);
  stream.push(randomBytes(100_000));
  assert.equal(stream.read().length, MAX_PIECE_BYTES);
  stream.destroy();
  assert.equal(stream.read(), null);
});
