/** Timer values in milliseconds (RFC 3261 §17.1.1.1 and table 4). */
export const T1_MS = 500;
export const T2_MS = 4_000;
/** Also timers I and K: the time during which retransmissions may still arrive (§17.1.2.2, §17.2.1). */
export const T4_MS = 5_000;

/** 64*T1: timers B, F, H, J, L and M, and the wait of a 2xx for its ACK (§13.3.1.4). */
export const TIMEOUT_MS = 64 * T1_MS;

/**
 * Timer D: how long a failed INVITE absorbs repeated final responses, more than 32 s over UDP (§17.1.1.2). Like
 * timers I, J and K, it is zero over a reliable transport.
 */
export const TIMER_D_MS = TIMEOUT_MS + 500;
