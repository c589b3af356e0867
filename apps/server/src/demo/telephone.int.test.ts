import assert from "node:assert/strict";
import { test } from "node:test";
import { callWithRecordings } from "./recorded-caller.ts";
import { Telephone } from "./telephone.ts";

/** A tone, as loud as speech. */
function toneOf(seconds: number): Int16Array {
  return Int16Array.from(
    { length: 8000 * seconds },
    (_, index) => 8000 * Math.sin((index * 2 * Math.PI * 440) / 8000),
  );
}

test("the telephone rings, answers a call to any number, listens, speaks, and is hung up on", async () => {
  const events: string[] = [];
  const telephone = await Telephone.listen({
    sipPort: 0,
    lines: [toneOf(1)],
    onCall: (event) => events.push(event),
  });
  const sipPort = Number(telephone.address.split(":")[1]);
  // Its caller speaks after the answer and hears it speak afterwards; the greeting that it waits for does not come.
  const { answers, hungUpBy } = await callWithRecordings({
    sipPort,
    number: "+12025550199",
    lines: [toneOf(1)],
  });
  await telephone.close();
  assert.ok(
    answers.some(({ pcm }) => pcm.length >= 6_000),
    answers.map(({ pcm }) => pcm.length).join(" "),
  );
  assert.equal(hungUpBy, "agent");
  assert.deepEqual(events, ["it rings", "the call has ended"]);
});
