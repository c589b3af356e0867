/** Loaded when a visitor calls. */
export { joinCall, openMicrophone, type WebCall } from "@parley/client";
