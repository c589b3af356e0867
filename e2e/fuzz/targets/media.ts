import type { SrtpSuite } from "@parley/rtp";
import { Strangers } from "../datagrams.ts";
import { OwnCall } from "../own-call.ts";
import type { Random } from "../random.ts";
import type { Target } from "../target.ts";
import { rtcpInputs, rtpInputs } from "./media-inputs.ts";

/** The first byte of inputs for encrypted calls selects whether the rest is sealed. */
const seal = { sealed: 0, bare: 1 } as const;
const suites: readonly SrtpSuite[] = [
  "AES_CM_128_HMAC_SHA1_80",
  "AES_CM_128_HMAC_SHA1_32",
  "AEAD_AES_128_GCM",
  "AEAD_AES_256_GCM",
];
const STRANGERS = 4;
/** A call that an input has ended is replaced, up to this number per opening. */
const MAX_CALLS = 20;

interface MediaTarget {
  name: string;
  inputs: (random: Random) => () => Buffer;
  /** Sends RTCP instead of RTP. */
  isReports: boolean;
  isEncrypted: boolean;
}

/**
 * Packets to a call of the fuzzer from its own port, and the same packets from strangers to the bystanders'
 * ports.
 */
function target({ name, inputs, isReports, isEncrypted }: MediaTarget): Target {
  let opened = 0;
  return {
    name,
    concurrency: 1,
    pauseMs: 2,
    inputs,
    open: async (node, onAnswer) => {
      const suite = isEncrypted ? suites[opened++ % suites.length] : undefined;
      const strangers = await Strangers.open(STRANGERS, () => onAnswer("!stranger hears"));
      let call = await OwnCall.place(node, suite);
      let calls = 1;
      return {
        send: async (input) => {
          if (call.isEnded && calls++ < MAX_CALLS) {
            onAnswer("call ended", input);
            await call.hangUp();
            call = await OwnCall.place(node, suite);
          }
          const packet = isEncrypted ? input.subarray(1) : input;
          const isSealed = isEncrypted && input[0] === seal.sealed;
          const datagram = isSealed ? (call.sealer?.seal(packet) ?? packet) : packet;
          if (isReports) call.sendRtcp(datagram);
          else call.sendRtp(datagram);
          const bystander = node.bystanderPorts[calls % node.bystanderPorts.length];
          if (bystander !== undefined)
            strangers.next().send(datagram, bystander + (isReports ? 1 : 0), "127.0.0.1");
        },
        close: async () => {
          await call.hangUp();
          strangers.close();
        },
      };
    },
  };
}

function withSeal(inputs: (random: Random) => () => Buffer): (random: Random) => () => Buffer {
  return (random) => {
    const next = inputs(random);
    return () => Buffer.concat([Buffer.from([random.chance(0.8) ? seal.sealed : seal.bare]), next()]);
  };
}

export const rtp = target({ name: "rtp", inputs: rtpInputs, isReports: false, isEncrypted: false });
export const rtcp = target({ name: "rtcp", inputs: rtcpInputs, isReports: true, isEncrypted: false });
export const srtp = target({
  name: "srtp",
  inputs: withSeal(rtpInputs),
  isReports: false,
  isEncrypted: true,
});
export const srtcp = target({
  name: "srtcp",
  inputs: withSeal(rtcpInputs),
  isReports: true,
  isEncrypted: true,
});
