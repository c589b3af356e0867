import assert from "node:assert/strict";
import { test } from "node:test";
import { UserAgent } from "./user-agent.ts";

for (const address of ["127.0.0.1", "::1"]) {
  test(`calls over TCP are set up and ended in both directions over one connection (${address})`, async () => {
    const bind = { address, port: 0 };
    const ends: string[] = [];
    const callee = await UserAgent.listen({
      bind,
      onInvite: (invite) => {
        assert.equal(invite.source.protocol, "TCP");
        void invite.accept({ sdp: "answer" }).then(async (result) => {
          if (!result.ok) return;
          await result.session.bye();
          ends.push((await result.session.ended).cause);
        });
      },
    });
    const caller = await UserAgent.listen({ bind, onInvite: (invite) => invite.reject(486) });
    const host = address.includes(":") ? `[${address}]` : address;
    const result = await caller.invite({
      to: `sip:agent@${host}:${callee.address.port};transport=tcp`,
      from: `sip:caller@${host}`,
      sdp: "offer",
    });
    assert.ok(result.ok);
    assert.equal((await result.session.ended).cause, "remote_bye");
    await Promise.all([caller.close(), callee.close()]);
  });
}
