/** The parts of https://webassembly.github.io/spec/js-api/ in use; TypeScript has them for browsers alone. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer;
    /** Throws a `RangeError` where it cannot. */
    grow(pages: number): number;
  }
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, (...values: number[]) => unknown>>,
  ): Promise<{ instance: { exports: unknown } }>;
}
