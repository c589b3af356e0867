import { runChild } from "../child-main.ts";

type ToFixture = { type: "start" } | { type: "hang" };

const SIGN_OF_LIFE_INTERVAL_MS = 20;

/** A child process that sends a message every 20 ms until told to hang. */
const { send } = runChild<ToFixture, { type: "sign" }>({
  onMessage: ({ type }) => {
    if (type === "start") send({ type: "ready" });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  close: () => Promise.resolve(),
});
setInterval(() => send({ type: "sign" }), SIGN_OF_LIFE_INTERVAL_MS);
