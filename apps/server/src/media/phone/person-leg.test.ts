import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { waitFor } from "@parley/testing";
import type { AudioEnd } from "./audio-bridge.ts";
import { PersonLeg } from "./person-leg.ts";

/** Media of one side, whose frames are taken by hand. */
class Side {
  end: AudioEnd | undefined;
  isClosed = false;
  pressed = "";
  readonly port = 4_000;
  readonly keys = Promise.withResolvers<void>();
  readonly connect = (): void => {};
  readonly hearKey = (): void => {};
  readonly start = (): void => {};
  readonly confirm = (): void => {};

  /** Keys that wait to be sent. */
  waiting = 0;

  readonly press = async (keys: string, signal: AbortSignal): Promise<void> => {
    this.pressed += keys;
    this.waiting++;
    const aborted = once(signal, "abort").then(() => signal.throwIfAborted());
    await Promise.race([this.keys.promise, aborted]).finally(() => this.waiting--);
  };

  readonly divert = (end: AudioEnd | undefined): void => {
    this.end = end;
  };

  readonly close = (): void => {
    this.isClosed = true;
  };
}

async function call() {
  const [caller, person] = [new Side(), new Side()];
  const log: string[] = [];
  const leg = await PersonLeg.open({
    caller,
    conversation: { end: (reason) => void log.push(reason), close: () => void log.push("closed") },
    open: async () => person,
    briefing: undefined,
    openNoiseSuppression: () => ({
      process: (pcm) => pcm.map((sample) => sample / 2),
      close: () => void log.push("suppression closed"),
    }),
  });
  return { caller, person, leg, log };
}

const announcement = { text: "Hello.", pcm: new Int16Array(320).fill(5), sampleRateHz: 8000, volume: 1 };
const voice = new Int16Array(160).fill(8);

test("both hear the introduction, then each other, and the person hears the caller without noise", async () => {
  const { caller, person, leg, log } = await call();
  assert.equal(await leg.answer(""), true);
  const introduced = leg.introduce(announcement);
  for (const side of [caller, person]) assert.equal(side.end?.nextFrame()?.[0], 5);
  // The person has put us on hold: the caller's end of it suffices.
  assert.equal(caller.end?.nextFrame()?.[159], 5);
  assert.equal(caller.end?.nextFrame(), undefined);
  assert.equal(await introduced, true);
  assert.deepEqual([leg.isBridged, leg.bridge(), leg.isBridged], [false, true, true]);
  assert.deepEqual(log, ["transferred", "closed"]);
  caller.end?.hear(voice);
  person.end?.hear(voice);
  assert.deepEqual([person.end?.nextFrame()?.[0], caller.end?.nextFrame()?.[0]], [4, 8]);
  leg.close();
  leg.close();
  assert.equal(log.at(-1), "suppression closed");
  assert.equal(log.length, 3);
});

test("an end while keys are pressed, or in the introduction, connects nobody", async () => {
  const pressing = await call();
  const answered = pressing.leg.answer("1");
  pressing.leg.close();
  assert.equal(await answered, false);
  assert.equal(pressing.leg.bridge(), false);
  const introducing = await call();
  const introduced = introducing.leg.introduce(announcement);
  introducing.leg.close();
  assert.equal(await introduced, false);
  assert.equal(introducing.leg.bridge(), false);
  assert.deepEqual([pressing.log, introducing.log], [[], []]);
  assert.ok(pressing.person.isClosed && introducing.person.isClosed);
  const outcome = await introducing.leg.brief(5_000);
  assert.ok(!outcome.isAccepted && outcome.failure === "hung up");
});

test("a flood of keys through a bridge is bounded, and no key waits after its end", async () => {
  const { caller, person, leg } = await call();
  assert.equal(await leg.answer(""), true);
  assert.equal(leg.bridge(), true);
  for (let count = 0; count < 10_000; count++) {
    caller.end?.dtmf("1");
    person.end?.dtmf("2");
  }
  assert.deepEqual([caller.waiting, person.waiting], [32, 32]);
  assert.deepEqual([caller.pressed, person.pressed], ["2".repeat(32), "1".repeat(32)]);
  person.keys.resolve();
  await waitFor("the person's keys", () => person.waiting === 0);
  caller.end?.dtmf("9");
  assert.equal(person.pressed.at(-1), "9");
  leg.close();
  await waitFor("the caller's keys to be withdrawn", () => caller.waiting === 0);
});
