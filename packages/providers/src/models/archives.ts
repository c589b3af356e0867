import { createWriteStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Unzip, UnzipInflate } from "fflate";
import { extract } from "tar-stream";

/** An entry to extract from an archive. */
export interface WantedEntry {
  /** Path that its bytes are written to. */
  target: string;
  /** Maximum size; a longer entry is refused. */
  maxBytes: number;
}

function atMost(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? new Error(`an entry longer than ${maxBytes} bytes`) : null, chunk);
    },
  });
}

/**
 * Writes the wanted entries of a gzipped tar to their targets as it arrives, and stops reading after the last of them.
 * Entries missing from the archive are not written.
 */
export async function extractTarGz(
  archive: AsyncIterable<Uint8Array>,
  wanted: ReadonlyMap<string, WantedEntry>,
): Promise<void> {
  const tar = extract();
  const stopped = new AbortController();
  const feeding = pipeline(archive, createGunzip(), tar, { signal: stopped.signal });
  // An upstream error destroys `tar` with the same error, so the loop below throws it.
  feeding.catch(() => undefined);
  let left = wanted.size;
  try {
    for await (const entry of tar) {
      const target = wanted.get(entry.header.name);
      if (target === undefined) {
        entry.resume();
        continue;
      }
      await pipeline(entry, atMost(target.maxBytes), createWriteStream(target.target));
      left -= 1;
      if (left === 0) break;
    }
  } finally {
    stopped.abort();
    await feeding.catch(() => undefined);
  }
}

interface ZipEntry {
  wanted: WantedEntry;
  bytes: number;
  /** Unpacked and not written yet. */
  pieces: Uint8Array[];
  failure: Error | undefined;
  file: FileHandle | undefined;
}

async function writePieces(entry: ZipEntry): Promise<void> {
  if (entry.failure !== undefined) throw entry.failure;
  entry.file ??= await open(entry.wanted.target, "w");
  for (const piece of entry.pieces.splice(0)) {
    entry.bytes += piece.length;
    if (entry.bytes > entry.wanted.maxBytes) {
      throw new Error(`an entry longer than ${entry.wanted.maxBytes} bytes`);
    }
    await entry.file.writeFile(piece);
  }
}

/** The same as {@link extractTarGz} for a zip (a Python wheel), read to its end. */
export async function extractZip(
  archive: AsyncIterable<Uint8Array>,
  wanted: ReadonlyMap<string, WantedEntry>,
): Promise<void> {
  const entries: ZipEntry[] = [];
  const unzip = new Unzip((file) => {
    const target = wanted.get(file.name);
    if (target === undefined) return;
    const entry: ZipEntry = { wanted: target, bytes: 0, pieces: [], failure: undefined, file: undefined };
    entries.push(entry);
    file.ondata = (error, piece) => {
      entry.failure ??= error ?? undefined;
      entry.pieces.push(piece);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for await (const chunk of archive) {
      unzip.push(chunk);
      for (const entry of entries) await writePieces(entry);
    }
  } finally {
    for (const entry of entries) await entry.file?.close();
  }
}
