import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Priority of this process's session among other sessions; absent if Linux does not group processes by session. */
const SESSION_PRIORITY_FILE = "/proc/self/autogroup";

/** Raises the priority of a media process: late audio is audible, a short delay of other processes is not. */
export function preferAudio(): void {
  const { PRIORITY_HIGH } = constants.priority;
  try {
    setPriority(PRIORITY_HIGH);
    // If Linux groups processes by session, a process's own priority counts only within its session, which is that of this
    // process alone.
    writeFileSync(SESSION_PRIORITY_FILE, String(PRIORITY_HIGH), { flag: "r+" });
  } catch {
    // Most systems allow this only to privileged users (docs/operating.md). Without competing processes it has no effect.
  }
}
