/** Label of the data channel on which a browser is told what happens in its call. */
export const LIVE_CHANNEL_LABEL = "parley";
