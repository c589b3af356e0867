import type { Readable } from "node:stream";

/** One that is parsed to its end after its reader has given up costs no more than some hundred headers do. */
export const LONGEST_PIECE_BYTES = 4096;

/**
 * Has a stream give what it holds in pieces to a reader that asks for all of it, and nothing once it is destroyed. undici parses what it has read to the end
 * even when it has given up meanwhile, and makes an error for each further header: 64 KiB of them took 130 ms.
 */
export function readInPieces(stream: Readable): void {
  const read = stream.read.bind(stream);
  stream.read = (bytes?: number): unknown => {
    if (stream.destroyed) return null;
    const isLong = bytes === undefined && stream.readableLength > LONGEST_PIECE_BYTES;
    return read(isLong ? LONGEST_PIECE_BYTES : bytes);
  };
}
