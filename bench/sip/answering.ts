/** Methods of a process that answers every call. */
export type AnsweringMethods = {
  /** Resolves with the SIP port. */
  listen: (argument: undefined) => Promise<number>;
};

export const ADDRESS = "127.0.0.1";

/** Audio description in the answers; no audio flows. */
export const AUDIO = {
  address: ADDRESS,
  port: 40_000,
  codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
};
