import { constants, setPriority } from "node:os";
import { encodeRecording } from "./recording-encoder.ts";

/** Encodes a spool into a recording, at the lowest priority: `recording-process.ts SPOOL FILE`. */
setPriority(constants.priority.PRIORITY_LOW);
const [spool = "", file = ""] = process.argv.slice(2);
const durationMs = await encodeRecording(spool, file);
process.stdout.write(JSON.stringify({ durationMs: durationMs ?? 0 }));
