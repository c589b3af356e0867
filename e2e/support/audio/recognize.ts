import { Resampler } from "@parley/audio";
import { ensureModels, loadMoonshine } from "@parley/providers";

/** Returns the words in these stretches of speech (8 kHz). */
export async function recognize(speeches: readonly Int16Array[]): Promise<string> {
  const moonshine = await loadMoonshine({
    modelsDir: await ensureModels({ groups: ["moonshine-tiny"] }),
    size: "tiny",
  });
  try {
    const texts: string[] = [];
    for (const pcm of speeches) {
      const wide = new Resampler(8000, 16_000).process(pcm);
      texts.push((await moonshine.transcribe(wide, new AbortController().signal)).text);
    }
    return texts.join(" ");
  } finally {
    await moonshine.close();
  }
}
