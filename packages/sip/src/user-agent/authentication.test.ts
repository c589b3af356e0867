import assert from "node:assert/strict";
import { test } from "node:test";
import { DigestAuthenticator } from "../digest/authenticator.ts";
import { createRig, type Rig } from "../testing/rig.ts";
import type { IncomingInvite } from "./invite/incoming-invite.ts";
import type { InviteResult } from "./invite/invite-options.ts";
import { UserAgent } from "./user-agent.ts";

async function callProtected(password: string): Promise<{ rig: Rig; result: InviteResult; users: string[] }> {
  const users: string[] = [];
  const authenticator = new DigestAuthenticator({ realm: "parley" });
  async function decide(invite: IncomingInvite): Promise<void> {
    const verdict = await authenticator.verify(invite, () => "secret");
    if (!verdict.ok) {
      invite.reject(401, undefined, { "WWW-Authenticate": verdict.challenges });
      return;
    }
    users.push(verdict.username);
    await invite.accept({ sdp: "answer" });
  }
  const rig = createRig({ onInvite: (invite) => void decide(invite).catch(assert.ifError) });
  const caller = UserAgent.on(rig.network.transport({ address: "10.0.0.3", port: 5060 }), {
    clock: rig.clock,
    onInvite: (invite) => invite.reject(486),
  });
  const calling = caller.invite({
    to: "sip:agent@10.0.0.1",
    from: "sip:alice@10.0.0.3",
    sdp: "offer",
    credentials: { username: "alice", password },
  });
  await rig.clock.advance(1000);
  return { rig, result: await calling, users };
}

test("a caller with the right password passes the challenge", async () => {
  const { result, users, rig } = await callProtected("secret");
  assert.ok(result.ok);
  assert.deepEqual(users, ["alice"]);
  const invites = rig.network.sent
    .map(({ data }) => data.toString())
    .filter((text) => text.startsWith("INVITE"));
  assert.equal(invites.length, 2);
  assert.match(invites[1] ?? "", /Authorization: Digest username="alice".*algorithm=SHA-256/);
});

test("a caller with a wrong password is rejected", async () => {
  const { result, users } = await callProtected("guess");
  assert.ok(!result.ok && result.status === 401);
  assert.deepEqual(users, []);
});
