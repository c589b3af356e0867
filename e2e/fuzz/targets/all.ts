import type { Target } from "../target.ts";
import { http } from "./http.ts";
import { rtcp, rtp, srtcp, srtp } from "./media.ts";
import { preCall } from "./pre-call.ts";
import { sipOverTcp, sipOverTls } from "./sip-streams.ts";
import { sipOverUdp } from "./sip-udp.ts";
import { stun } from "./stun.ts";
import { toolSchemas } from "./tool-schemas.ts";
import { whip } from "./whip.ts";

/** All targets, in their order within a round. */
export const allTargets: readonly Target[] = [
  sipOverUdp,
  sipOverTcp,
  sipOverTls,
  rtp,
  rtcp,
  srtp,
  srtcp,
  stun,
  whip,
  http,
  toolSchemas,
  preCall,
];
