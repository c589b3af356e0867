import { spawnSync } from "node:child_process";

const packages = { sipp: "sip-tester", baresip: "baresip-core" } as const;

/**
 * For a test's `skip`: false where the program is installed, else why the test says nothing. In CI a missing peer is
 * a failure.
 */
export function skipWithout(program: keyof typeof packages): string | false {
  if (spawnSync("which", [program]).status === 0) return false;
  const message = `${program} is not installed (Debian: ${packages[program]})`;
  if (process.env["CI"] === "true") throw new Error(message);
  console.error(`SKIPPED, NOT CHECKED AGAINST A REAL PEER: ${message}`);
  return message;
}
