/** Time of day. All parts of the server receive their clock by parameter. */
export interface Clock {
  now: () => Date;
}

/** This machine's clock, for code outside of a node. */
export const systemClock: Clock = { now: () => new Date() };
