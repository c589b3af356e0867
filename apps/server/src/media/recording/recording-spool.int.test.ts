import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { readSpool, type SpoolRecord } from "./recording-format.ts";
import { type RecordingSpool, RecordingSpools } from "./recording-spool.ts";

const FRAME = 960;

describe("a recording's spool", () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(path.join(tmpdir(), "parley-spool-"))));
  after(async () => await rm(folder, { recursive: true }));

  const refuseErrors = (error: unknown): void => assert.fail(String(error));
  const recordsOf = (file: string): SpoolRecord[] =>
    [...(readSpool(file)?.records ?? [])].map((record) =>
      "payload" in record ? { ...record, payload: new Uint8Array(record.payload) } : record,
    );

  test("returns all packets in order, for each codec", async () => {
    const spools = new RecordingSpools({ folder, onError: refuseErrors });
    const spool = spools.open("whole", 16_000);
    const expected: SpoolRecord[] = [];
    for (let frame = 0; frame < 3000; frame++) {
      const at = frame * FRAME;
      const payload = new Uint8Array(160).fill(frame);
      if (frame % 7 === 0) {
        spool.lost(FRAME, at);
        expected.push({ type: "lost", at, samples: FRAME });
      } else {
        const codec = frame % 2 === 0 ? "G722" : "PCMA";
        spool.caller(codec, payload, at);
        expected.push({ type: "caller", codec, at, payload });
      }
      // Copied at once: the caller's buffers are used again.
      const own = new Uint8Array(80).fill(1);
      spool.agent("opus", own, at);
      own.fill(2);
      expected.push({ type: "agent", codec: "opus", at, payload: new Uint8Array(80).fill(1) });
    }
    await spools.close();
    const file = path.join(folder, "whole.ended");
    assert.equal(readSpool(file)?.sampleRateHz, 16_000);
    assert.deepEqual(recordsOf(file), expected);
  });

  test("is readable up to the point at which its process died", async () => {
    const bytes = await readFile(path.join(folder, "whole.ended"));
    const all = recordsOf(path.join(folder, "whole.ended"));
    const cut = path.join(folder, "cut.spool");
    for (const length of [0, 5, 11, 12, 13, 18, 19, 20, 200, 5_000, bytes.length - 1]) {
      await writeFile(cut, bytes.subarray(0, length));
      const records = recordsOf(cut);
      assert.deepEqual(records, all.slice(0, records.length), `of ${length} bytes`);
      assert.equal(readSpool(cut) === undefined, length < 12);
    }
    assert.equal(recordsOf(cut).length, all.length - 1);
  });

  test("ends before bytes that were not written: zeros after a power loss, or another file's bytes", async () => {
    const bytes = await readFile(path.join(folder, "whole.ended"));
    const all = recordsOf(path.join(folder, "whole.ended"));
    const bad = path.join(folder, "bad.spool");
    await writeFile(bad, Buffer.concat([bytes, Buffer.alloc(5_000)]));
    assert.deepEqual(recordsOf(bad), all);
    await writeFile(bad, Buffer.concat([bytes, Buffer.from("not a record of ours, whatever it is")]));
    assert.deepEqual(recordsOf(bad), all);
    await writeFile(bad, "no spool at all, and long enough to be one");
    assert.equal(readSpool(bad), undefined);
  });

  test("is on the disk about a second after it was written, also during the call", async () => {
    const spools = new RecordingSpools({ folder, onError: refuseErrors });
    const spool = spools.open("under-way", 8000);
    for (let frame = 0; frame <= 100; frame++) spool.caller("PCMU", new Uint8Array(160), frame * FRAME);
    const file = path.join(folder, "under-way.spool");
    let found = 0;
    const deadline = performance.now() + 5_000;
    while (found < 100 && performance.now() < deadline) {
      found = (await readFile(file).catch(() => undefined)) === undefined ? 0 : recordsOf(file).length;
    }
    assert.ok(found >= 100, `${found} records`);
    await spools.close();
    assert.equal(recordsOf(path.join(folder, "under-way.ended")).length, 101);
  });

  test("exists only for a call with audio", async () => {
    const spools = new RecordingSpools({ folder, onError: refuseErrors });
    spools.open("unanswered", 8000);
    await spools.close();
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith("unanswered")),
      [],
    );
  });

  test("that the disk rejects is abandoned, reported once, and deleted", async () => {
    const errors: unknown[] = [];
    const spools = new RecordingSpools({
      folder: path.join(folder, "nowhere"),
      onError: (error, callId) => errors.push(callId, error),
    });
    const spool = spools.open("lost", 8000);
    for (let frame = 0; frame < 500; frame++) spool.caller("PCMU", new Uint8Array(160), frame * FRAME);
    await spools.close();
    await spools.close();
    assert.equal(errors.length, 2);
    assert.equal(errors[0], "lost");
    assert.match(String(errors[1]), /ENOENT/);
  });

  test(
    "is abandoned if the disk is full",
    { skip: existsSync("/dev/full") ? false : "no /dev/full" },
    async () => {
      await symlink("/dev/full", path.join(folder, "full.spool"));
      const errors: unknown[] = [];
      const spools = new RecordingSpools({ folder, onError: (error) => errors.push(error) });
      const spool = spools.open("full", 8000);
      for (let frame = 0; frame < 100; frame++) spool.caller("PCMU", new Uint8Array(160), frame * FRAME);
      await spools.close();
      assert.match(String(errors[0]), /ENOSPC/);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.startsWith("full")),
        [],
      );
    },
  );

  test("ends while the disk has less space than the reserve, and keeps what was recorded", async () => {
    let freeBytes = 2_000;
    const stopped: string[] = [];
    const spools = new RecordingSpools({
      folder,
      reserveBytes: 1_000,
      readSpace: async () => freeBytes,
      onError: (error, callId) => {
        assert.match(String(error), /PARLEY_DISK_RESERVE_MB/);
        stopped.push(callId);
      },
    });
    await spools.checkSpace();
    const record = (spool: RecordingSpool, frames: number): void => {
      for (let frame = 0; frame < frames; frame++) spool.caller("PCMU", new Uint8Array(160), frame * FRAME);
    };
    const first = spools.open("reserve-first", 8000);
    record(first, 100);
    freeBytes = 999;
    await spools.checkSpace();
    record(first, 50);
    const second = spools.open("reserve-second", 8000);
    record(second, 100);
    freeBytes = 1_000;
    await spools.checkSpace();
    record(spools.open("reserve-third", 8000), 100);
    await spools.close();
    assert.deepEqual(stopped, ["reserve-first", "reserve-second"]);
    const lengths = ["reserve-first", "reserve-third"].map((id) => {
      return recordsOf(path.join(folder, `${id}.ended`)).length;
    });
    assert.deepEqual(lengths, [100, 100]);
    assert.ok(!existsSync(path.join(folder, "reserve-second.ended")));
  });

  test("is not written if the system reports less space than the reserve", async () => {
    const stopped: string[] = [];
    const onError = (_: unknown, callId: string) => stopped.push(callId);
    const spools = new RecordingSpools({ folder, reserveBytes: 2 ** 62, onError });
    await spools.checkSpace();
    spools.open("no-space", 8000).caller("PCMU", new Uint8Array(160), 0);
    await spools.close();
    assert.deepEqual(stopped, ["no-space"]);
    assert.ok(!existsSync(path.join(folder, "no-space.ended")));
  });

  test("is abandoned if the disk is a megabyte behind", async () => {
    const errors: unknown[] = [];
    const spools = new RecordingSpools({ folder, onError: (error) => errors.push(error) });
    const spool = spools.open("slow", 8000);
    // All in one turn of the event loop: nothing can be written meanwhile.
    for (let frame = 0; frame < 10_000; frame++) spool.caller("PCMU", new Uint8Array(160), frame * FRAME);
    await spools.close();
    assert.match(String(errors[0]), /too slow/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith("slow")),
      [],
    );
  });
});
