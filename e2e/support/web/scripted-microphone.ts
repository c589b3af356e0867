import type { Page } from "puppeteer-core";

const SAMPLE_RATE_HZ = 8000;

/**
 * Runs in the page: every microphone that is opened from now on plays the audio given to
 * `scriptedMicrophone.say`.
 */
const installation = `{
  let context, destination;
  const stream = () => {
    context ??= new AudioContext();
    if (destination === undefined) {
      destination = context.createMediaStreamDestination();
      // Without a source Chromium sends no packets; a microphone sends silence.
      const silence = new ConstantSourceNode(context, { offset: 0 });
      silence.connect(destination);
      silence.start();
    }
    return destination.stream.clone();
  };
  navigator.mediaDevices.getUserMedia = async () => stream();
  window.scriptedMicrophone = {
    say(samples) {
      const buffer = context.createBuffer(1, samples.length, ${SAMPLE_RATE_HZ});
      buffer.copyToChannel(Float32Array.from(samples, (sample) => sample / 32768), 0);
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(destination);
      source.start();
      return new Promise((resolve) => source.addEventListener("ended", () => resolve()));
    },
  };
}`;

/** A page's microphone that plays speech on the test's request, and silence otherwise. */
export class ScriptedMicrophone {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Must be called before the page opens a microphone. */
  static async install(page: Page): Promise<ScriptedMicrophone> {
    await page.evaluate(installation);
    return new ScriptedMicrophone(page);
  }

  /** Resolves at the end of the speech. `pcm`: 8 kHz. */
  async say(pcm: Int16Array): Promise<void> {
    await this.#page.evaluate(`scriptedMicrophone.say([${pcm.join()}])`);
  }
}
