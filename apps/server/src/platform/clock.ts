/** The time of day. Everything in the server takes it from the clock that it is given. */
export interface Clock {
  now: () => Date;
}

/** This machine's clock, for what runs outside of a node. */
export const systemClock: Clock = { now: () => new Date() };
