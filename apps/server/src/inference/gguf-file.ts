import { open } from "node:fs/promises";
import { fetchModelFile, isModelAddress } from "@parley/providers/models";
import type { Config } from "../platform/config/config.ts";
import { ModelProgressDisplay } from "./model-progress.ts";

/**
 * Path of the language model's file, which is downloaded if the configuration names one on Hugging Face; `undefined` if the
 * language model is no file. Rejects with a message for the operator.
 */
export async function findGgufFile(
  { languageModel, modelsDirectory: modelsDir }: Pick<Config, "languageModel" | "modelsDirectory">,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (languageModel.provider !== "gguf") return undefined;
  let file = languageModel.path;
  if (isModelAddress(file)) {
    const display = new ModelProgressDisplay(modelsDir);
    const onProgress = display.show.bind(display);
    file = await fetchModelFile({ address: file, modelsDir, signal, onProgress }).finally(() =>
      display.end(),
    );
  }
  await requireGgufFile(file);
  return file;
}

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
