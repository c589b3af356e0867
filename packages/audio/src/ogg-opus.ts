const HEADER_BYTES = 27;
const MAX_SEGMENTS = 255;
/** RFC 3533 §6: flags in a page header. */
const FIRST_PAGE = 0x02;
const LAST_PAGE = 0x04;
/** RFC 7845 §4: granule positions count samples at 48 kHz for every input rate. */
const GRANULE_RATE_HZ = 48_000;
/** Players can seek to a page; RFC 7845 §6 recommends at most one second per page. */
const PAGE_SAMPLES = GRANULE_RATE_HZ;

export interface OggOpusOptions {
  channels: 1 | 2;
  /** The encoder's lookahead before the sound, in samples at 48 kHz; players skip it. */
  preSkip: number;
  /** Rate of the sound before encoding; informative, playback is at 48 kHz. */
  inputSampleRateHz: number;
  /** Identifies this stream in a file with several streams. */
  serialNumber: number;
  /** Program and library that created the file. */
  vendor: string;
  /** Tags such as `TITLE`, in upper case (RFC 7845 §5.2, after Vorbis). */
  tags?: Readonly<Record<string, string>>;
  /** Called with each complete page of the file; the page does not change afterwards. */
  write: (page: Uint8Array) => void;
}

/** Writes the Opus packets of one stream to an Ogg file (RFC 3533, RFC 7845). */
export class OggOpusWriter {
  readonly #options: OggOpusOptions;
  #sequence = 0;
  /** Packets of the current page. */
  #packets: Uint8Array[] = [];
  #segments = 0;
  #pageSamples = 0;
  /** Samples at 48 kHz in all packets so far, including the current page. */
  #samples = 0;

  /** Writes the two header pages. */
  constructor(options: OggOpusOptions) {
    this.#options = options;
    this.#writePage([headerPacket(options)], 0, FIRST_PAGE);
    this.#writePage([tagsPacket(options)], 0, 0);
  }

  /** @param samples decoded length of the packet, per channel at 48 kHz. */
  packet(packet: Uint8Array, samples: number): void {
    const segments = lacingOf(packet).length;
    // One page waits for the next packet, because the last page is marked as such.
    if (this.#pageSamples >= PAGE_SAMPLES || this.#segments + segments > MAX_SEGMENTS) this.#flush(0);
    this.#packets.push(packet);
    this.#segments += segments;
    this.#pageSamples += samples;
    this.#samples += samples;
  }

  /**
   * Writes the remaining data.
   *
   * @param samples length of the sound at 48 kHz; the rest of the last packet is not played (RFC 7845 §4.4).
   */
  end(samples: number): void {
    this.#samples = Math.min(this.#samples, this.#options.preSkip + samples);
    this.#flush(LAST_PAGE);
  }

  #flush(flags: number): void {
    this.#writePage(this.#packets, this.#samples, flags);
    this.#packets = [];
    this.#segments = 0;
    this.#pageSamples = 0;
  }

  #writePage(packets: readonly Uint8Array[], granulePosition: number, flags: number): void {
    const lacing = packets.flatMap(lacingOf);
    const page = Buffer.concat([Buffer.alloc(HEADER_BYTES), Buffer.from(lacing), ...packets]);
    page.write("OggS", 0, "latin1");
    page[5] = flags;
    page.writeBigInt64LE(BigInt(granulePosition), 6);
    page.writeUInt32LE(this.#options.serialNumber, 14);
    page.writeUInt32LE(this.#sequence++, 18);
    page[26] = lacing.length;
    page.writeUInt32LE(checksum(page), 22);
    this.#options.write(page);
  }
}

/** RFC 3533 §6: a packet's length as a sum of segment lengths; one below 255 bytes ends it. */
function lacingOf(packet: Uint8Array): number[] {
  const lacing = Array.from<number>({ length: Math.floor(packet.length / 255) }).fill(255);
  lacing.push(packet.length % 255);
  if (lacing.length > MAX_SEGMENTS) throw new RangeError("Ogg: a packet must fit into one page");
  return lacing;
}

/** RFC 7845 §5.1: mapping family 0, one channel or left and right. */
function headerPacket({ channels, preSkip, inputSampleRateHz }: OggOpusOptions): Uint8Array {
  const packet = Buffer.alloc(19);
  packet.write("OpusHead", 0, "latin1");
  packet[8] = 1;
  packet[9] = channels;
  packet.writeUInt16LE(preSkip, 10);
  packet.writeUInt32LE(inputSampleRateHz, 12);
  return packet;
}

/** RFC 7845 §5.2. */
function tagsPacket({ vendor, tags = {} }: OggOpusOptions): Uint8Array {
  const comments = Object.entries(tags).map(([name, value]) => sized(`${name}=${value}`));
  const count = Buffer.alloc(4);
  count.writeUInt32LE(comments.length);
  return Buffer.concat([Buffer.from("OpusTags"), sized(vendor), count, ...comments]);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([size, bytes]);
}

/** RFC 3533 §6: polynomial 0x04c11db7, not reflected, over the page with a checksum of zero. */
const checksums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder < 0 ? 0x04c11db7 : 0);
  return remainder;
});

function checksum(page: Uint8Array): number {
  let sum = 0;
  for (const byte of page) sum = (sum << 8) ^ (checksums[(sum >>> 24) ^ byte] ?? 0);
  return sum >>> 0;
}
