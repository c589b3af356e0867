import { setTimeout as sleep } from "node:timers/promises";
import type { MediaLeg } from "../../apps/server/src/media/media-legs.ts";
import { MediaWheel, PortPool, RtpSession } from "../../packages/rtp/src/index.ts";
import { seededRandom } from "@parley/testing";
import { type Frames, lineNoise, loadUtterances } from "../calls/speech.ts";
import type { MediaProcess } from "./media-process.ts";

const ADDRESS = "127.0.0.1";
const PORTS = { first: 31_000, last: 32_599 };
const FRAME_SAMPLES = 160;
const CALLS_PER_SECOND = 40;
/** Time for the greeting before a caller's first words, in frames; the callers begin at different times. */
const LISTENING_FIRST_FRAMES = 100;
const MAX_STAGGER_FRAMES = 300;
/** Frames of silence per frame of speech. */
const SILENCE_PER_SPEECH = 1.5;

/** Callers of a media process, without signaling: they speak recorded sentences by turns with agents. */
export class MediaCallers {
  readonly #wheel = new MediaWheel({
    onError: (error) => {
      throw error;
    },
  });
  readonly #ports = new PortPool(PORTS);
  readonly #legs: MediaLeg[] = [];
  readonly #sessions: RtpSession[] = [];

  static async place(media: MediaProcess, calls: number): Promise<MediaCallers> {
    const callers = new MediaCallers();
    const [utterances, noise] = [await loadUtterances(), lineNoise()];
    for (let index = 0; index < calls; index++) {
      await callers.#place(media, index, speaker(utterances, noise, seededRandom(index)));
      await sleep(1000 / CALLS_PER_SECOND);
    }
    return callers;
  }

  async close(): Promise<void> {
    this.#wheel.close();
    await Promise.all(this.#legs.map(async (leg) => await leg.close()));
    for (const session of this.#sessions) session.close();
  }

  async #place({ pool, handlers }: MediaProcess, index: number, next: () => Uint8Array): Promise<void> {
    const place = pool.reserve();
    if (place === undefined) throw new Error("the media process has no free place");
    const leg = await pool.open(describeCall(`call-${index}`), handlers, place);
    this.#legs.push(leg);
    const session = await RtpSession.open({
      address: ADDRESS,
      ports: this.#ports,
      payloadTypes: [0],
      onPacket: () => {},
    });
    this.#sessions.push(session);
    leg.connect({
      remote: { address: ADDRESS, port: session.port },
      codec: "PCMU",
      payloadType: 0,
      telephoneEventPayloadType: undefined,
      ptimeMs: 20,
      rtcp: { address: ADDRESS, port: session.port + 1 },
      isRtcpMultiplexed: false,
      srtp: undefined,
      isSending: true,
      isReceiving: true,
    });
    leg.start();
    leg.confirm();
    session.negotiate({ address: ADDRESS, port: leg.rtpPort }, [0]);
    let timestamp = 0;
    this.#wheel.add(() => {
      session.send(next(), 0, timestamp, false);
      timestamp += FRAME_SAMPLES;
    });
  }
}

/** Payloads of a caller who speaks 40 % of the time. */
export function speaker(
  utterances: readonly Frames[],
  noise: Frames,
  random: () => number,
): () => Uint8Array {
  let utterance: Frames = [];
  let position = 0;
  let silent = LISTENING_FIRST_FRAMES + Math.floor(random() * MAX_STAGGER_FRAMES);
  return () => {
    if (position < utterance.length) return utterance[position++] ?? new Uint8Array(FRAME_SAMPLES);
    if (silent-- > 0) return noise[silent % noise.length] ?? new Uint8Array(FRAME_SAMPLES);
    utterance = utterances[Math.floor(random() * utterances.length)] ?? [];
    position = 0;
    silent = Math.round(SILENCE_PER_SPEECH * utterance.length);
    return utterance[position++] ?? new Uint8Array(FRAME_SAMPLES);
  };
}

export function describeCall(callId: string): Parameters<MediaProcess["pool"]["open"]>[0] {
  return {
    callId,
    organizationId: "bench",
    ownProviders: undefined,
    sampleRateHz: 8000,
    flow: undefined,
    instructions: "Be brief.",
    llmModel: "service-standard",
    llmTemperature: 0.2,
    llmReasoningEffort: "none",
    runtimeConfig: {},
    endCall: {},
    keypad: undefined,
    knowledge: undefined,
    hasDoNotCallTool: false,
    sendMessage: undefined,
    transfer: undefined,
    tools: [],
    conversation: {
      callId,
      conversationId: callId,
      agentId: "bench",
      environment: null,
      channel: "phone",
      fromNumber: null,
      toNumber: null,
      isTest: true,
      variables: {},
    },
    agent: {
      firstMessage: "Hello.",
      firstMessageDelayMs: 0,
      startSpeaker: "agent",
      silenceEndCallTimeoutSeconds: 60,
      maxConversationDurationSeconds: 3600,
      disableInterruptions: false,
      interruptionThresholdMs: 200,
      language: "en",
      voice: "",
      voiceSpeed: 1,
      sttKeyterms: [],
    },
    hasNoiseSuppression: true,
    fallbackVoiceId: undefined,
    isRecorded: true,
  };
}
