import { readFile } from "node:fs/promises";
import { cpus } from "node:os";

/**
 * Text that differs between processors that differ in their instructions. On Linux the kernel's list of features, because
 * virtual machines with the same model name may hide different instructions; otherwise the model name.
 */
export async function describeProcessor(): Promise<string> {
  const model = cpus()[0]?.model ?? "unknown";
  const information = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
  const features = /^(?:flags|Features)\s*:\s*(.+)$/m.exec(information)?.[1];
  return features === undefined ? model : `${model}: ${features}`;
}
