import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { text } from "node:stream/consumers";
import { test } from "node:test";

const ENTRY = new URL("./audio-priority.ts", import.meta.url).href;
const { PRIORITY_HIGH } = constants.priority;

/** Whether the scheduler groups processes by session, and this user may raise priorities. */
function mayRaiseSessions(): boolean {
  try {
    const isGrouping = readFileSync("/proc/sys/kernel/sched_autogroup_enabled", "utf8").trim() === "1";
    return isGrouping && process.getuid?.() === 0;
  } catch {
    return false;
  }
}

test(
  "a media process is preferred to processes of other sessions, not only to those of its own",
  { skip: !mayRaiseSessions() },
  async () => {
    const code = `
      const { preferAudio } = await import(${JSON.stringify(ENTRY)});
      preferAudio();
      const { getPriority } = await import("node:os");
      const { readFileSync } = await import("node:fs");
      console.log(getPriority(), readFileSync("/proc/self/autogroup", "utf8"));`;
    const args = ["--input-type=module", "-e", code];
    const child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "pipe", "inherit"] });
    assert.match(await text(child.stdout), new RegExp(`^${PRIORITY_HIGH} .* nice ${PRIORITY_HIGH}\\n`));
  },
);
