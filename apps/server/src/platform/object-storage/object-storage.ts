/** Storage of files that are too large for the database: recordings, and samples of voices. */
export interface ObjectStorage {
  /** Whether all nodes with the same configuration read and write the same files. */
  readonly isShared: boolean;
  /**
   * Stores a file's content under the key, replacing earlier content. The content is durable once this resolves.
   *
   * @param key Names of letters, digits, `.`, `_` and `-`, separated by `/`; its extension determines the content type.
   */
  putFile: (key: string, file: string, signal: AbortSignal) => Promise<void>;
  /** Returns the content under the key, which must fit in memory. Rejects if there is none. */
  read: (key: string, signal: AbortSignal) => Promise<Uint8Array>;
  /** Deletes the content under the key. Succeeds if there is none. */
  delete: (key: string, signal: AbortSignal) => Promise<void>;
  /**
   * Returns a URL that serves the content, or ranges of it, to anyone until `expiresAt`. Does not check that the
   * content exists.
   */
  linkTo: (key: string, expiresAt: Date) => Promise<string>;
}

const keyPattern = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** Whether the key is well-formed. Such a key cannot leave its folder. */
export const isObjectKey = (key: string): boolean => keyPattern.test(key);

const contentTypes: Readonly<Record<string, string>> = {
  // RFC 7845 §9.
  opus: "audio/ogg; codecs=opus",
  wav: "audio/wav",
};

export function contentTypeOf(key: string): string {
  return contentTypes[/\.(\w+)$/.exec(key)?.[1] ?? ""] ?? "application/octet-stream";
}
