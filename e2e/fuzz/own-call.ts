import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { freePort } from "@parley/testing";
import {
  acceptAnswer,
  type AudioSettings,
  buildOffer,
  LocalSrtpKeys,
  type NegotiatedAudio,
  type Session,
  UserAgent,
} from "@parley/sip";
import type { SrtpSuite } from "@parley/rtp";
import type { FuzzedNode } from "./node/fuzzed-node.ts";
import { PacketSealer } from "./packet-sealer.ts";
import { whenThereIsRoom } from "../support/platform/when-there-is-room.ts";

const ADDRESS = "127.0.0.1";
let nextCaller = 15_550_150_001;

/** A call of the fuzzer, which sends arbitrary packets. With `suite`, they are encrypted with known keys. */
export class OwnCall {
  readonly audio: NegotiatedAudio;
  /** Seals packets with the call's keys. */
  readonly sealer: PacketSealer | undefined;
  readonly #sockets: { rtp: Socket; rtcp: Socket };
  readonly #userAgent: UserAgent;
  readonly #session: Session;

  static async place(node: FuzzedNode, suite?: SrtpSuite): Promise<OwnCall> {
    return await whenThereIsRoom(async () => await OwnCall.#dial(node, suite));
  }

  static async #dial(node: FuzzedNode, suite: SrtpSuite | undefined): Promise<OwnCall> {
    const { port, ...sockets } = await bindPair();
    const userAgent = await UserAgent.listen({
      bind: { address: ADDRESS, port: 0 },
      onInvite: (invite) => invite.reject(486),
    });
    const settings: AudioSettings = {
      address: ADDRESS,
      port,
      codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
      ...(suite !== undefined && { srtp: { keys: new LocalSrtpKeys(), isRequired: true } }),
    };
    const isOther = (line: string): boolean =>
      suite !== undefined && line.startsWith("a=crypto:") && !line.includes(` ${suite} `);
    const lines = buildOffer(settings).split("\r\n");
    const result = await userAgent.invite({
      to: `sip:${node.agents.victim.number}@${ADDRESS}:${node.platform.sipPort}`,
      from: `sip:+${nextCaller++}@${ADDRESS}:${userAgent.address.port}`,
      sdp: lines.filter((line) => !isOther(line)).join("\r\n"),
    });
    if (!result.ok) {
      await userAgent.close({ deadlineMs: 500 });
      for (const socket of Object.values(sockets)) socket.close();
      throw new Error(`the fuzzer's own call was refused: ${result.status} ${result.reason}`);
    }
    const answer = acceptAnswer(result.session.remoteSdp, settings);
    if (!answer.ok) throw new Error(`the answer cannot be used: ${answer.reason}`);
    return new OwnCall(sockets, userAgent, result.session, answer.audio);
  }

  private constructor(
    sockets: { rtp: Socket; rtcp: Socket },
    userAgent: UserAgent,
    session: Session,
    audio: NegotiatedAudio,
  ) {
    this.#sockets = sockets;
    this.#userAgent = userAgent;
    this.#session = session;
    this.audio = audio;
    this.sealer = audio.srtp && new PacketSealer(audio.srtp.suite, audio.srtp.localMasterKey);
  }

  get isEnded(): boolean {
    return this.#session.isEnded;
  }

  sendRtp(datagram: Uint8Array): void {
    this.#sockets.rtp.send(datagram, this.audio.remote.port, ADDRESS);
  }

  sendRtcp(datagram: Uint8Array): void {
    this.#sockets.rtcp.send(datagram, this.audio.remoteRtcp.port, ADDRESS);
  }

  async hangUp(): Promise<void> {
    if (!this.isEnded) await this.#session.bye();
    await this.#userAgent.close({ deadlineMs: 500 });
    this.#sockets.rtp.close();
    this.#sockets.rtcp.close();
  }
}

async function bindPair(): Promise<{ rtp: Socket; rtcp: Socket; port: number }> {
  const port = await freePort();
  const [rtp, rtcp] = [createSocket("udp4"), createSocket("udp4")];
  for (const [socket, at] of [
    [rtp, port],
    [rtcp, port + 1],
  ] as const) {
    socket.on("message", () => {});
    socket.on("error", () => {});
    socket.bind(at, ADDRESS);
    await once(socket, "listening");
  }
  return { rtp, rtcp, port };
}
