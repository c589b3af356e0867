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
    // Two, so that its caller, who has one, is the first to give up waiting.
    lines: [toneOf(1), toneOf(1)],
    onCall: (event) => events.push(event),
  });
  const sipPort = Number(telephone.address.split(":")[1]);
  // Both wait 8 s for a greeting that does not come; then both speak, and hear each other.
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
  assert.equal(hungUpBy, "caller");
  assert.deepEqual(events, ["it rings", "the call has ended"]);
});
