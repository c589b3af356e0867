import assert from "node:assert/strict";
import type { SipRequest } from "../messages/message.ts";
import type { IncomingInvite } from "../user-agent/invite/incoming-invite.ts";
import type { InviteOptions, InviteResult } from "../user-agent/invite/invite-options.ts";
import type { Session } from "../user-agent/session/session.ts";
import type { UserAgentOptions } from "../user-agent/user-agent-options.ts";
import { createRig, type Rig } from "./rig.ts";
import type { RequestScript } from "./scripted-peer.ts";

/** A description of one audio stream, as written by a peer. */
export function sdp(version: number, ...lines: readonly string[]): string {
  const head = ["v=0", `o=- 42 ${version} IN IP4 10.0.0.2`, "s=-", "c=IN IP4 10.0.0.2", "t=0 0"];
  return [...head, "m=audio 4000 RTP/AVP 0", ...lines, ""].join("\r\n");
}

/** A call with the scripted peer, in either direction. The test sends each message. */
export class ScriptedCall {
  readonly rig: Rig;
  /** Set once the call is established. */
  session: Session | undefined;
  /** Every INVITE passed to the application. */
  readonly invites: readonly IncomingInvite[];
  readonly #callId: string;
  readonly #localTag: string;
  readonly #remoteTag: string;
  #sequence = 10;

  constructor(
    rig: Rig,
    callId: string,
    localTag: string,
    remoteTag: string,
    invites: readonly IncomingInvite[] = [],
  ) {
    this.rig = rig;
    this.invites = invites;
    this.#callId = callId;
    this.#localTag = localTag;
    this.#remoteTag = remoteTag;
  }

  get established(): Session {
    assert.ok(this.session !== undefined);
    return this.session;
  }

  /** Sends a request from the peer in the dialog. */
  async request(method: string, script: Partial<RequestScript> = {}): Promise<void> {
    const sequence = script.sequence ?? ++this.#sequence;
    this.rig.peer.request({
      branch: `z9hG4bK${method}${sequence}`,
      callId: this.#callId,
      fromTag: this.#remoteTag,
      toTag: this.#localTag,
      ...script,
      method,
      sequence,
    });
    await this.rig.clock.advance(0);
  }

  /** Sends the peer's ACK for its last request of this kind. */
  async ack(body = ""): Promise<void> {
    await this.request("ACK", { sequence: this.#sequence, branch: `z9hG4bKack${this.#sequence}`, body });
  }

  /** Sends the peer's response to the last request with this method. */
  async respond(
    method: string,
    status: number,
    headers: readonly string[] = [],
    body = "",
  ): Promise<SipRequest> {
    const request = this.rig.peer.last(method);
    this.rig.peer.respond(request, status, this.#remoteTag, headers, body);
    await this.rig.clock.advance(0);
    return request;
  }

  lastStatus(method: string): number | undefined {
    return this.rig.peer.statuses(method).at(-1);
  }
}

/** A call from the peer; resolves with the invitation that waits for the application. */
export async function ringIn(
  headers: readonly string[] = [],
  body = sdp(1),
  options: Partial<UserAgentOptions> = {},
): Promise<{ call: ScriptedCall; invite: IncomingInvite }> {
  const invites: IncomingInvite[] = [];
  const rig = createRig({ onInvite: (each) => void invites.push(each), random: () => 0.5, ...options });
  rig.peer.request({ method: "INVITE", headers, body });
  await rig.clock.advance(0);
  const [invite] = invites;
  assert.ok(invite !== undefined, "the INVITE did not reach the application");
  invite.ring();
  await rig.clock.advance(0);
  return { call: new ScriptedCall(rig, "call-1", rig.peer.tagFrom("INVITE"), "peer", invites), invite };
}

/** A call from the peer that is answered. */
export async function callIn(
  headers: readonly string[] = [],
  options: Partial<UserAgentOptions> = {},
): Promise<ScriptedCall> {
  const { call, invite } = await ringIn(headers, sdp(1), options);
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.request("ACK", { sequence: 1, branch: "z9hG4bKack" });
  const result = await accepting;
  assert.ok(result.ok);
  call.session = result.session;
  return call;
}

/** A call to the peer; the INVITE has reached it and has no response yet. */
export async function ringOut(
  options: Partial<InviteOptions> = {},
  agent: Partial<UserAgentOptions> = {},
): Promise<{ call: ScriptedCall; result: () => InviteResult | undefined }> {
  const rig = createRig({ random: () => 0.5, ...agent });
  let result: InviteResult | undefined;
  const inviting = rig.ua.invite({
    to: "sip:peer@10.0.0.2",
    from: "sip:agent@10.0.0.1",
    sdp: sdp(1),
    ...options,
  });
  await rig.clock.advance(0);
  const invite = rig.peer.last("INVITE");
  const call = new ScriptedCall(rig, invite.callId, invite.from.parameters.get("tag") ?? "", "callee");
  inviting
    .then((settled) => {
      result = settled;
      if (settled.ok) call.session = settled.session;
      return undefined;
    })
    .catch(assert.ifError);
  return { call, result: () => result };
}

/** A call to the peer that is answered. */
export async function callOut(
  headers: readonly string[] = [],
  agent: Partial<UserAgentOptions> = {},
): Promise<ScriptedCall> {
  const { call } = await ringOut({}, agent);
  await call.respond("INVITE", 200, headers, sdp(1));
  assert.ok(call.session !== undefined);
  return call;
}
