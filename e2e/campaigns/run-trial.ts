/**
 * Runs a campaign on three nodes, kills random ones with `kill -9`, and compares the carrier's log with the database:
 *
 *     npm run trial -- [--contacts 2000] [--kills 20] [--seconds-between-kills 15] [--seed N]
 */
import { parseArgs } from "node:util";
import { runTrial } from "./trial.ts";

const { values: options } = parseArgs({
  options: {
    contacts: { type: "string", default: "2000" },
    kills: { type: "string", default: "20" },
    "seconds-between-kills": { type: "string", default: "15" },
    seed: { type: "string", default: "1" },
  },
});

const result = await runTrial({
  contacts: Number(options.contacts),
  kills: Number(options.kills),
  killIntervalMs: 1000 * Number(options["seconds-between-kills"]),
  seed: Number(options.seed),
  deadlineMs: 3_600_000,
  report: (line) => console.log(line),
});
console.log(JSON.stringify(result));
process.exitCode = result.violations.length === 0 ? 0 : 1;
