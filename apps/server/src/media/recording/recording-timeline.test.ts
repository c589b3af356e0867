import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StereoTimeline } from "./recording-timeline.ts";

/** 20 ms at 8 kHz. */
const FRAME = 160;
const FRAME_AT = 960;

function record(use: (timeline: StereoTimeline) => void): {
  left: number[];
  right: number[];
  length: number;
} {
  const frames: number[] = [];
  const timeline = new StereoTimeline(8000, (frame) => frames.push(...frame));
  use(timeline);
  const length = timeline.end();
  return {
    left: frames.filter((_, index) => index % 2 === 0),
    right: frames.filter((_, index) => index % 2 === 1),
    length,
  };
}

const ofValue = (value: number, samples = FRAME): Int16Array => new Int16Array(samples).fill(value);

describe("the timeline of a recording", () => {
  test("has each voice in its channel and at its time, and silence between them", () => {
    const { left, right, length } = record((timeline) => {
      timeline.place(0, 0, ofValue(1));
      timeline.place(1, 0, ofValue(2));
      timeline.place(1, 3 * FRAME_AT, ofValue(3));
      // A minute later.
      timeline.place(0, 3_000 * FRAME_AT, ofValue(4));
    });
    assert.equal(length, 3_001 * FRAME);
    assert.equal(left.length, length);
    const at = (samples: number[], frame: number): number[] => [
      ...new Set(samples.slice(frame * FRAME, (frame + 1) * FRAME)),
    ];
    assert.deepEqual([at(left, 0), at(left, 1), at(left, 3), at(left, 3_000)], [[1], [0], [0], [4]]);
    assert.deepEqual([at(right, 0), at(right, 2), at(right, 3), at(right, 3_000)], [[2], [0], [3], [0]]);
    assert.equal(left.filter((sample) => sample !== 0).length, 2 * FRAME);
  });

  test("accepts packets of any length, and slightly late ones", () => {
    const { left, right } = record((timeline) => {
      for (let packet = 0; packet < 100; packet++) {
        timeline.place(0, packet * 3 * FRAME_AT, ofValue(packet + 1, 3 * FRAME));
        timeline.place(1, Math.max(0, packet * 3 * FRAME_AT - FRAME_AT), ofValue(packet + 1, 3 * FRAME));
      }
    });
    for (let packet = 0; packet < 99; packet++) {
      assert.equal(left[packet * 3 * FRAME], packet + 1);
      if (packet > 0) assert.equal(right[packet * 3 * FRAME - FRAME], packet + 1);
    }
  });

  test("drops very late packets, and cuts packets beyond the maximum length", () => {
    const { left, length } = record((timeline) => {
      timeline.place(0, 100 * FRAME_AT, ofValue(1));
      timeline.place(0, 0, ofValue(2, 100 * FRAME));
      timeline.place(0, 101 * FRAME_AT, ofValue(3, 10 * 8000));
    });
    assert.ok(length < 101 * FRAME + 3 * 8000);
    assert.equal(left[0], 0);
    assert.equal(left[100 * FRAME], 1);
    assert.equal(left[101 * FRAME], 3);
  });

  test("is as long as the call, including a silent end", () => {
    const { left, length } = record((timeline) => {
      timeline.place(0, 0, ofValue(1));
      timeline.reach(48_000 + 6);
    });
    assert.equal(length, 8001);
    assert.equal(left.length, 8160);
  });
});
