import { spawnSync } from "node:child_process";

const packages = {
  sipp: "sip-tester",
  baresip: "baresip-core",
  openssl: "openssl",
  kamailio: "kamailio",
  ffmpeg: "ffmpeg",
  turnserver: "coturn",
  taskset: "util-linux",
} as const;

/**
 * Value of a test's `skip`: false if the programs are installed, otherwise the reason. In CI a missing peer is a
 * failure.
 */
export function skipWithout(...programs: (keyof typeof packages)[]): string | false {
  const missing = programs.find((program) => spawnSync("which", [program]).status !== 0);
  if (missing === undefined) return false;
  const message = `${missing} is not installed (Debian: ${packages[missing]})`;
  if (process.env["CI"] === "true") throw new Error(message);
  console.error(`SKIPPED, NOT CHECKED AGAINST A REAL PEER: ${message}`);
  return message;
}
