/** Label of the WebRTC data channel for live events of a browser call. */
export const LIVE_CHANNEL_LABEL = "parley";
