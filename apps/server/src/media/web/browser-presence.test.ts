import assert from "node:assert/strict";
import { test } from "node:test";
import { BrowserPresence } from "./browser-presence.ts";

const FRAME_MS = 20;

class Rig {
  readonly abandoned: number[] = [];
  readonly presence = new BrowserPresence({ nowMs: 0, onAbandoned: (ms) => this.abandoned.push(ms) });
  #nowMs = 0;

  /** Checks every frame until then. Returns the times in which the browser was absent, `[from, to)`. */
  checkUntil(endMs: number): [number, number][] {
    const absences: [number, number][] = [];
    for (; this.#nowMs < endMs; this.#nowMs += FRAME_MS) {
      if (this.presence.check(this.#nowMs)) continue;
      const last = absences.at(-1);
      if (last?.[1] === this.#nowMs) last[1] += FRAME_MS;
      else absences.push([this.#nowMs, this.#nowMs + FRAME_MS]);
    }
    return absences;
  }

  stallUntil(ms: number): void {
    this.#nowMs = ms;
  }
}

test("a browser is absent after 2 s without audio, and its call is abandoned once, 15 s later", () => {
  const rig = new Rig();
  assert.deepEqual(rig.checkUntil(16_000), [[2_000, 16_000]]);
  assert.deepEqual(rig.abandoned, []);
  rig.checkUntil(60_000);
  assert.deepEqual(rig.abandoned, [15_000]);
});

test("a browser that comes back in time is present again, and its next absence has the whole 15 s", () => {
  const rig = new Rig();
  rig.checkUntil(16_000);
  rig.presence.noteRtp(16_000);
  assert.deepEqual(rig.checkUntil(32_000), [[18_000, 32_000]]);
  assert.deepEqual(rig.abandoned, []);
  rig.checkUntil(34_000);
  assert.deepEqual(rig.abandoned, [15_000]);
});

test("a browser without a microphone is present as long as its reports arrive", () => {
  const rig = new Rig();
  rig.presence.noteRtcp(1_500);
  assert.deepEqual(rig.checkUntil(12_000), [[11_500, 12_000]]);
});

test("a lost connection makes the browser absent at once", () => {
  const rig = new Rig();
  rig.presence.noteRtcp(1_500);
  rig.checkUntil(1_600);
  rig.presence.noteDisconnection();
  assert.deepEqual(rig.checkUntil(1_800), [[1_600, 1_800]]);
});

test("after a stall of this process the absence is measured anew", () => {
  const rig = new Rig();
  rig.checkUntil(10_000);
  rig.stallUntil(30_000);
  rig.checkUntil(44_000);
  assert.deepEqual(rig.abandoned, []);
  rig.checkUntil(46_000);
  assert.deepEqual(rig.abandoned, [15_000]);
});
