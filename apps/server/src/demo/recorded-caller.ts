import { acceptAnswer, buildOffer, UserAgent } from "@parley/sip";
import { type HeardAnswer, RecordedLine } from "./recorded-line.ts";

export interface RecordedCallerOptions {
  sipPort: number;
  /** E.164 number. */
  number: string;
  /** Lines of the caller in order: 8 kHz PCM. */
  lines: readonly Int16Array[];
}

export interface RecordedCallResult {
  /** The greeting, then one answer per line. */
  answers: HeardAnswer[];
  hungUpBy: "agent" | "caller";
}

/**
 * Caller with recorded lines: places a real call over SIP and RTP on loopback, says each line when the agent has
 * finished its own, and records the agent. Rejects if the call is not accepted.
 */
export async function callWithRecordings(options: RecordedCallerOptions): Promise<RecordedCallResult> {
  const agent = await UserAgent.listen({
    bind: { address: "127.0.0.1", port: 0 },
    onInvite: (invite) => invite.reject(486),
  });
  const line = await RecordedLine.open(options.lines);
  try {
    const result = await agent.invite({
      to: `sip:${options.number}@127.0.0.1:${options.sipPort}`,
      from: `sip:+12025550188@127.0.0.1:${agent.address.port}`,
      sdp: buildOffer(line.audio),
    });
    if (!result.ok) {
      const hint = result.status === 503 ? ": this machine is too busy to accept a call" : "";
      throw new Error(`the call was rejected: ${result.status} ${result.reason}${hint}`);
    }
    const answer = acceptAnswer(result.session.remoteSdp, line.audio);
    if (!answer.ok) throw new Error(`the answer cannot be used: ${answer.reason}`);
    line.talk(answer.audio.remote);
    const hungUpBy = await Promise.race([
      result.session.ended.then(() => "agent" as const),
      line.finished.then(() => "caller" as const),
    ]);
    await result.session.bye();
    return { answers: line.answers(), hungUpBy };
  } finally {
    line.close();
    await agent.close();
  }
}
