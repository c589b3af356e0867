import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OggOpusWriter } from "./ogg-opus.ts";

interface Page {
  flags: number;
  granulePosition: number;
  sequence: number;
  packets: Buffer[];
}

/** Reads pages by the layout of RFC 3533. */
function readPages(file: Buffer): Page[] {
  const pages: Page[] = [];
  for (let offset = 0; offset < file.length;) {
    assert.equal(file.toString("latin1", offset, offset + 4), "OggS");
    const lacing = [...file.subarray(offset + 27, offset + 27 + (file[offset + 26] ?? 0))];
    const packets: Buffer[] = [];
    let start = offset + 27 + lacing.length;
    let length = 0;
    for (const each of lacing) {
      length += each;
      if (each === 255) continue;
      packets.push(file.subarray(start, start + length));
      start += length;
      length = 0;
    }
    assert.equal(length, 0, "no packet continues in the next page");
    pages.push({
      flags: file[offset + 5] ?? 0,
      granulePosition: Number(file.readBigInt64LE(offset + 6)),
      sequence: file.readUInt32LE(offset + 18),
      packets,
    });
    offset = start;
  }
  return pages;
}

function write(use: (writer: OggOpusWriter) => void): Page[] {
  const pieces: Uint8Array[] = [];
  const writer = new OggOpusWriter({
    channels: 2,
    preSkip: 312,
    inputSampleRateHz: 8000,
    serialNumber: 7,
    vendor: "test",
    tags: { TITLE: "Ärger" },
    write: (page) => pieces.push(page),
  });
  use(writer);
  return readPages(Buffer.concat(pieces));
}

describe("an Ogg Opus file", () => {
  test("begins with a page for the header and one for the tags", () => {
    const [head, tags] = write((writer) => writer.end(0));
    assert.deepEqual([head?.flags, head?.granulePosition, head?.sequence], [2, 0, 0]);
    assert.equal(head?.packets[0]?.toString("hex"), "4f7075734865616401023801401f0000000000");
    assert.deepEqual([tags?.flags, tags?.granulePosition, tags?.sequence], [0, 0, 1]);
    assert.equal(tags?.packets[0]?.toString("utf8"), "OpusTags\x04\0\0\0test\x01\0\0\0\x0c\0\0\0TITLE=Ärger");
  });

  test("has about one second per page, and its positions include the pre-skip", () => {
    const [, , ...pages] = write((writer) => {
      for (let packet = 0; packet < 120; packet++) writer.packet(Buffer.alloc(40, packet), 960);
      writer.end(120 * 960 - 312 - 100);
    });
    assert.deepEqual(
      pages.map(({ packets }) => packets.length),
      [50, 50, 20],
    );
    assert.deepEqual(
      pages.map(({ granulePosition }) => granulePosition),
      [48_000, 96_000, 120 * 960 - 100],
    );
    assert.deepEqual(
      pages.map(({ flags, sequence }) => [flags, sequence]),
      [
        [0, 2],
        [0, 3],
        [4, 4],
      ],
    );
  });

  test("contains complete packets of every length, and at most 255 segments per page", () => {
    const lengths = [0, 1, 254, 255, 256, 510, 2550, 61_440, 61_440];
    const [, , ...pages] = write((writer) => {
      for (const length of lengths) writer.packet(Buffer.alloc(length, 1), 20);
      writer.end(0);
    });
    assert.deepEqual(
      pages.flatMap(({ packets }) => packets.map((each) => each.length)),
      lengths,
    );
    assert.throws(() => write((writer) => writer.packet(Buffer.alloc(255 * 255), 960)), RangeError);
  });

  test("without any sound has a last page", () => {
    const last = write((writer) => writer.end(0)).at(-1);
    assert.deepEqual([last?.flags, last?.packets], [4, []]);
  });
});
