import { readFile } from "node:fs/promises";
import type { CallDetail, JoinableCall, LiveCallEvent } from "@parley/contract";
import type { Page } from "puppeteer-core";
import type { Chromium } from "./chromium.ts";
import type { Platform } from "../platform/platform.ts";
import { waitFor } from "@parley/testing";
import { ScriptedMicrophone } from "./scripted-microphone.ts";
import type { ReadCall } from "../audio/talk.ts";

/** Sample rate of the received audio. */
export const HEARD_RATE_HZ = 16_000;

export interface JoinOptions {
  iceServers?: readonly { urls: string; username: string; credential: string }[];
  /** Allows only paths through a TURN server. */
  relayOnly?: boolean;
}

/** State that another page needs to continue a call. */
export interface Session {
  url: string;
  token: string;
  session: string;
}

/** State of the connection's transport. */
export interface TransportState {
  /** State and certificates, which differ for another connection. */
  dtls: string[];
  /** Changes of its state since the call was joined. */
  dtlsStates: string[];
  /** The browser's name in the current ICE generation. */
  ufrag: string;
  /** Candidate pair in use. */
  pairId: string | undefined;
}

/** A page in a real browser that joins calls with only WHIP and WebRTC. */
export class BrowserCaller {
  readonly page: Page;
  readonly #microphone: ScriptedMicrophone | undefined;

  private constructor(page: Page, microphone: ScriptedMicrophone | undefined) {
    this.page = page;
    this.#microphone = microphone;
  }

  /**
   * Opens the page. `isSpeaking`: the test plays speech; otherwise the page has the browser's own microphone.
   */
  static async open(
    chromium: Chromium,
    platform: Platform,
    { isSpeaking = false } = {},
  ): Promise<BrowserCaller> {
    // Any page of an origin that may use the microphone.
    const { page } = await chromium.open(`http://localhost:${platform.httpPort}/healthz`);
    await page.evaluate(await readFile(new URL("./whip-page.js", import.meta.url), "utf8"));
    return new BrowserCaller(page, isSpeaking ? await ScriptedMicrophone.install(page) : undefined);
  }

  /** Resolves with the status of the response. */
  async join({ url, token }: JoinableCall, options: JoinOptions = {}): Promise<number> {
    return await this.#evaluate(
      `whip.join(${[url, token, options].map((each) => JSON.stringify(each)).join()})`,
    );
  }

  /** Opens a new connection for a call that this page or another has joined. */
  async rejoin(session?: Session): Promise<number> {
    if (session !== undefined)
      await this.#evaluate(`void Object.assign(whip.state, ${JSON.stringify(session)})`);
    return await this.#evaluate("whip.rejoin()");
  }

  /** Restarts ICE. Resolves with the status of the response. */
  async restartIce(): Promise<number> {
    return await this.#evaluate("whip.restartIce()");
  }

  async transport(): Promise<TransportState> {
    return await this.#evaluate("whip.transport()");
  }

  async session(): Promise<Session> {
    return await this.#evaluate(
      "({ url: whip.state.url, token: whip.state.token, session: whip.state.session })",
    );
  }

  /** Resolves at the end of the speech. `pcm`: 8 kHz. */
  async say(pcm: Int16Array): Promise<void> {
    if (this.#microphone === undefined)
      throw new Error("this caller was opened with the browser's microphone");
    await this.#microphone.say(pcm);
  }

  async hangUp(): Promise<number> {
    return await this.#evaluate("whip.hangUp()");
  }

  async connectionState(): Promise<string> {
    return await this.#evaluate("whip.state.pc.connectionState");
  }

  async localCandidateType(): Promise<string | undefined> {
    return await this.#evaluate("whip.localCandidateType()");
  }

  /** Returns the events received on the data channel. */
  async events(): Promise<LiveCallEvent[]> {
    return await this.#evaluate("whip.state.events");
  }

  /** Returns the audio received on the track so far. */
  async heard(): Promise<Int16Array> {
    return Int16Array.from(await this.#evaluate<number[]>("whip.state.pcm"));
  }

  /** Returns the number of received samples that contain speech. */
  async loudSamples(): Promise<number> {
    return await this.#evaluate("whip.state.pcm.filter((sample) => Math.abs(sample) > 500).length");
  }

  /** Resolves with an utterance of one side when it is complete. */
  async said(role: "user" | "agent", index = 0, deadlineMs = 30_000): Promise<string> {
    const find = async (): Promise<string | undefined> => {
      const items = (await this.events()).flatMap((event) => (event.type === "item" ? [event.item] : []));
      return items.filter((item) => item.role === role)[index]?.text;
    };
    return await waitFor(`words of the ${role}`, async () => (await find()) ?? false, deadlineMs);
  }

  async #evaluate<T>(expression: string): Promise<T> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page's own script is known
    return (await this.page.evaluate(expression)) as T;
  }
}

export async function startTestCall(
  platform: Platform,
  agentId: string,
  body: object = {},
): Promise<JoinableCall> {
  const data = await platform.api.startTestCall(agentId, body);
  return data;
}

/** Returns a function that reads a call by its id. */
export function testCall(platform: Platform, callId: string): ReadCall {
  return async () => await platform.api.getCall(callId);
}

/** Returns the call once its end is written. */
export async function endedTestCall(
  platform: Platform,
  callId: string,
  deadlineMs = 20_000,
): Promise<CallDetail> {
  return await waitFor(
    "the end of the call",
    async () => {
      const data = await platform.api.getCall(callId);
      return data.endedAt !== null && data;
    },
    deadlineMs,
  );
}
