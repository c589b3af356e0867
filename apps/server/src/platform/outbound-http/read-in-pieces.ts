import type { Readable } from "node:stream";

/**
 * A piece of this size costs no more than some hundred headers if it is parsed to its end after its reader has given
 * up.
 */
export const MAX_PIECE_BYTES = 4096;

/**
 * Makes a stream return its buffered data in pieces, and nothing after it is destroyed. undici parses all data that it
 * has read even after it has given up, and creates an error for each further header: 64 KiB of them took 130 ms.
 */
export function readInPieces(stream: Readable): void {
  const read = stream.read.bind(stream);
  stream.read = (bytes?: number): unknown => {
    if (stream.destroyed) return null;
    const isLong = bytes === undefined && stream.readableLength > MAX_PIECE_BYTES;
    return read(isLong ? MAX_PIECE_BYTES : bytes);
  };
}
