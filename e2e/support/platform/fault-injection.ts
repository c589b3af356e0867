import { EventEmitter } from "node:events";
import { encodePcmu } from "@parley/audio";
import { JitterBuffer, type RtpPacket } from "@parley/rtp";

/**
 * Loaded into every process of a platform (`NODE_OPTIONS=--import`): the platform's own code throws if a
 * caller sends one of these sounds, or if a vendor's message contains this text.
 */
export const soundsThatThrow = { inPacketHandler: -32_000, inTimer: -16_000 };
export const TEXT_THAT_THROWS = "please throw";

const codeOf = (sample: number): number => encodePcmu(Int16Array.of(sample))[0] ?? 0;
const [handlerCode, timerCode] = [codeOf(soundsThatThrow.inPacketHandler), codeOf(soundsThatThrow.inTimer)];

function callBefore<T extends object, K extends keyof T & string>(
  prototype: T,
  name: K,
  before: (self: T, args: T[K] extends (...args: infer A) => unknown ? A : never) => void,
): void {
  const original = prototype[name];
  if (typeof original !== "function") throw new TypeError(`${name} is no method`);
  const value = new Proxy(original, {
    apply: (target, self: T, args: Parameters<typeof before>[1]) => {
      before(self, args);
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(prototype, name, { value });
}

callBefore(JitterBuffer.prototype, "push", (_self, [{ payload }]: [RtpPacket, number]) => {
  const [first] = payload;
  if (!payload.every((byte) => byte === first)) return;
  if (first === handlerCode) throw new Error("injected into a packet handler");
  if (first === timerCode) {
    setTimeout(() => {
      throw new Error("injected into a timer");
    });
  }
});

callBefore(EventEmitter.prototype, "emit", (self, [name, data]: unknown[]) => {
  const isVendorMessage =
    name === "message" && self.constructor.name === "WebSocket" && Buffer.isBuffer(data);
  if (isVendorMessage && data.includes(TEXT_THAT_THROWS)) throw new Error("injected into a vendor's message");
});
