/** Where whole files are kept that are too large for the database: recordings. */
export interface ObjectStorage {
  /** Whether every node that is told so finds here what this one stores. */
  readonly isShared: boolean;
  /**
   * Stores a file's content, in place of what was under the key; it is kept once this resolves.
   *
   * @param key names of letters, digits, `.`, `_` and `-`, with `/` between them; its end says what the content is.
   */
  putFile: (key: string, file: string, signal: AbortSignal) => Promise<void>;
  /** A URL at which whoever has it gets the content, or parts of it, until then. Whether there is any is not asked. */
  linkTo: (key: string, expiresAt: Date) => Promise<string>;
}

const keyPattern = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** A key cannot leave the place that it is under. */
export const isObjectKey = (key: string): boolean => keyPattern.test(key);

const contentTypes: Readonly<Record<string, string>> = {
  // RFC 7845 §9.
  opus: "audio/ogg; codecs=opus",
};

export function contentTypeOf(key: string): string {
  return contentTypes[/\.(\w+)$/.exec(key)?.[1] ?? ""] ?? "application/octet-stream";
}
