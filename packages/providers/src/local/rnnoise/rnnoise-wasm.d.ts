/** Xiph's rnnoise as the package exports it: https://github.com/xiph/rnnoise, `include/rnnoise.h`. */
declare module "@echogarden/rnnoise-wasm" {
  export interface RnnoiseModule {
    /** The memory of the module; another array after it has grown. */
    readonly HEAPF32: Float32Array;
    _malloc(bytes: number): number;
    _free(address: number): void;
    /** @param model 0: the one built in. */
    _rnnoise_create(model: number): number;
    _rnnoise_destroy(state: number): void;
    /** 480 samples at 48 kHz, ±32768; returns the probability of speech. */
    _rnnoise_process_frame(state: number, output: number, input: number): number;
  }
  export default function load(): Promise<RnnoiseModule>;
}
