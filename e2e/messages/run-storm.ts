/** `npm run storm -- --messages 1000 --numbers 200`: a storm of messages, with its counts as JSON on the last line. */
import { parseArgs } from "node:util";
import { runStorm } from "./sms-storm.ts";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "1000" },
    numbers: { type: "string", default: "200" },
  },
});

const TIMEOUT_MS = 600_000;

const result = await runStorm({
  messages: Number(values.messages),
  numbers: Number(values.numbers),
  timeoutMs: TIMEOUT_MS,
});
console.log(JSON.stringify(result));
