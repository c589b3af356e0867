/**
 * Client of the Parley API, and browser calls.
 *
 * @module client
 */
export * from "./api.ts";
export { joinCall, type JoinOptions } from "./calls/join-call.ts";
export { JoinError, type JoinErrorCode } from "./calls/join-error.ts";
export type { CallEnd, Speech } from "./calls/live-call.ts";
export { listMicrophones, type Microphone, openMicrophone } from "./calls/microphone.ts";
export type { WebCall, WebCallEvents } from "./calls/web-call.ts";
