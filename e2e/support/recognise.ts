import { Resampler } from "@parley/audio";
import { ensureModels, loadMoonshine } from "@parley/providers";

/** What is said in these speeches (8 kHz). */
export async function recognise(speeches: readonly Int16Array[]): Promise<string> {
  const moonshine = await loadMoonshine({
    modelsDir: await ensureModels({ groups: ["moonshine-tiny"] }),
    size: "tiny",
  });
  try {
    const texts: string[] = [];
    for (const pcm of speeches) {
      texts.push(
        await moonshine.transcribe(new Resampler(8000, 16_000).process(pcm), new AbortController().signal),
      );
    }
    return texts.join(" ");
  } finally {
    await moonshine.close();
  }
}
