import path from "node:path";
import type { ModelProgress } from "./fetch.ts";

/** Address of a model file on Hugging Face, in the form of llama.cpp. */
const ADDRESS = /^hf:[^/\s]+\/[^:\s]+(:[\w.-]+)?$/;

/** Whether a setting names a model on Hugging Face (`hf:owner/repo:quant`) and no file. */
export function isModelAddress(setting: string): boolean {
  return setting.startsWith("hf:");
}

export interface FetchModelFileOptions {
  /** `hf:owner/repo:quant`, or `hf:owner/repo/file.gguf`. */
  address: string;
  modelsDir: string;
  signal: AbortSignal;
  onProgress?: (progress: ModelProgress) => void;
  /** Default: `HF_ENDPOINT`, else Hugging Face. */
  endpoint?: string;
}

/**
 * Downloads a GGUF file once, and returns its path. A download that was interrupted is resumed.
 *
 * @throws Error that says what to do.
 */
export async function fetchModelFile(options: FetchModelFileOptions): Promise<string> {
  const { address, modelsDir, signal, onProgress, endpoint } = options;
  if (!ADDRESS.test(address))
    throw new Error(
      `${address} is no address of a model: write hf:owner/repo:quant, such as hf:Qwen/Qwen2.5-1.5B-Instruct-GGUF:Q4_K_M`,
    );
  // Only servers with such an address load the library in this process.
  const { resolveModelFile } = await import("node-llama-cpp");
  try {
    const file = await resolveModelFile(address, {
      directory: path.join(modelsDir, "gguf"),
      cli: false,
      deleteTempFileOnCancel: false,
      signal,
      onProgress: ({ downloadedSize, totalSize }) =>
        onProgress?.({
          type: "download",
          label: address,
          receivedBytes: downloadedSize,
          totalBytes: totalSize,
        }),
      ...(endpoint !== undefined && { endpoints: { huggingFace: endpoint } }),
    });
    // The library returns normally from a download that was aborted.
    signal.throwIfAborted();
    return file;
  } catch (cause) {
    signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `the model ${address} could not be downloaded (${reason}): check its name and the connection; the next start resumes the ` +
        "download, or set PARLEY_LLM_GGUF to the path of a file",
      { cause },
    );
  }
}
