import { decodePcmu, encodePcmu } from "../../packages/audio/src/index.ts";
import { JitterBuffer, MediaWheel, PortPool, RtpSession } from "../../packages/rtp/src/index.ts";
import { answerOffer, type IncomingInvite, UserAgent } from "../../packages/sip/src/index.ts";
import { serve } from "../support/peer.ts";

/** Baseline: one process that answers calls and echoes their audio, paced like the platform's. */
export type EchoMethods = {
  /** Resolves with the SIP port. */
  listen: (argument: undefined) => Promise<number>;
  wheelLagP99Ms: (argument: undefined) => Promise<number>;
};

const ADDRESS = "127.0.0.1";
const PORTS = { first: 33_000, last: 34_599 };
const FRAME_SAMPLES = 160;
const PCMU = { name: "PCMU", clockRateHz: 8000, payloadType: 0 };

const ports = new PortPool(PORTS);
const wheel = new MediaWheel({
  onError: (error) => {
    throw error;
  },
});

async function answer(invite: IncomingInvite): Promise<void> {
  const jitter = new JitterBuffer({ clockRateHz: PCMU.clockRateHz, samplesIn: (payload) => payload.length });
  const rtp = await RtpSession.open({
    address: ADDRESS,
    ports,
    payloadTypes: [PCMU.payloadType],
    onPacket: (packet, arrivalMs) => jitter.push(packet, arrivalMs),
  });
  const agreed = answerOffer(invite.body, { address: ADDRESS, port: rtp.port, codecs: [PCMU] });
  if (!agreed.ok) {
    rtp.close();
    return invite.reject(agreed.status);
  }
  rtp.negotiate(agreed.audio.remote, [PCMU.payloadType]);
  const pcm = new Int16Array(FRAME_SAMPLES);
  const payload = new Uint8Array(FRAME_SAMPLES);
  let timestamp = 0;
  const handle = wheel.add((dueMs) => {
    const next = jitter.pull(dueMs, true);
    if (next.kind === "frame" && next.payload.length === FRAME_SAMPLES) decodePcmu(next.payload, pcm);
    else pcm.fill(0);
    rtp.send(encodePcmu(pcm, payload), PCMU.payloadType, timestamp, false);
    timestamp += FRAME_SAMPLES;
  });
  const result = await invite.accept({ sdp: agreed.sdp });
  if (result.ok) await result.session.ended;
  handle.remove();
  rtp.close();
}

const methods: EchoMethods = {
  listen: async () => {
    const userAgent = await UserAgent.listen({
      bind: { address: ADDRESS, port: 0 },
      onInvite: (invite) => {
        answer(invite).catch(() => invite.reject(500));
      },
    });
    return userAgent.address.port;
  },
  wheelLagP99Ms: () => Promise.resolve(wheel.lagP99Ms),
};
serve(methods);
