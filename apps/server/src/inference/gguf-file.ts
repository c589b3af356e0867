import { open } from "node:fs/promises";

/** Rejects with a message for the operator if `PARLEY_LLM_GGUF` is not a readable GGUF file. */
export async function requireGgufFile(path: string): Promise<void> {
  const magic = await readStart(path).catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new Error(`PARLEY_LLM_GGUF: the file ${path} cannot be read (${code})`, { cause });
  });
  if (magic !== "GGUF") throw new Error(`PARLEY_LLM_GGUF: the file ${path} is not a GGUF model`);
}

async function readStart(path: string): Promise<string> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.toString("latin1", 0, bytesRead);
}
