/** The parts of https://webassembly.github.io/spec/js-api/ in use; TypeScript includes them only for browsers. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer;
    /** Throws a `RangeError` if it cannot grow. */
    grow(pages: number): number;
  }
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, (...values: number[]) => unknown>>,
  ): Promise<{ instance: { exports: unknown } }>;
}
