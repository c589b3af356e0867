/** The part of an untyped package that the differential test uses. */
declare module "rtp-packet" {
  export class SrtpSession {
    constructor(masterKey: Uint8Array, masterSalt: Uint8Array, options: { profile: string });
    protectRtp(packet: Buffer): Buffer;
    unprotectRtp(packet: Buffer): Buffer | null;
    protectRtcp(packet: Buffer): Buffer;
    unprotectRtcp(packet: Buffer): Buffer | null;
  }
}
