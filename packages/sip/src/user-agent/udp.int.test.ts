import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { hostileDatagram } from "../testing/mutate.ts";
import { UserAgent } from "./user-agent.ts";

const loopback = { address: "127.0.0.1", port: 0 };

test("two user agents on real sockets set up a call and end it", async () => {
  const answers: Promise<string>[] = [];
  const callee = await UserAgent.listen({
    bind: loopback,
    onInvite: (invite) => {
      invite.ring();
      answers.push(
        invite
          .accept({ sdp: "answer" })
          .then(async (result) => (result.ok ? (await result.session.ended).cause : result.reason)),
      );
    },
  });
  const caller = await UserAgent.listen({ bind: loopback, onInvite: (invite) => invite.reject(486) });
  const result = await caller.invite({
    to: `sip:agent@127.0.0.1:${callee.address.port}`,
    from: "sip:caller@127.0.0.1",
    sdp: "offer",
  });
  assert.ok(result.ok);
  assert.equal(result.session.remoteSdp, "answer");
  await result.session.bye();
  assert.deepEqual(await Promise.all(answers), ["remote_bye"]);
  const alive = await caller.options({
    to: "sip:127.0.0.1",
    from: "sip:127.0.0.1",
    destination: { address: "localhost", port: callee.address.port },
  });
  assert.ok(alive.ok && alive.status === 200);
  await Promise.all([caller.close(), callee.close(), callee.close()]);
});

test("bound to every address, it announces the one that the peer can reach", async () => {
  const everywhere = { address: "0.0.0.0", port: 0 };
  const callee = await UserAgent.listen({
    bind: everywhere,
    onInvite: (invite) => void invite.accept({ sdp: "answer" }).catch(assert.ifError),
  });
  const caller = await UserAgent.listen({ bind: everywhere, onInvite: (invite) => invite.reject(486) });
  const to = `sip:agent@127.0.0.1:${callee.address.port}`;
  const result = await caller.invite({ to, from: "sip:caller@127.0.0.1", sdp: "offer" });
  assert.ok(result.ok);
  await result.session.bye();
  await Promise.all([caller.close(), callee.close()]);
});

test("a port in use is rejected", async () => {
  const first = await UserAgent.listen({ bind: loopback, onInvite: (invite) => invite.reject(486) });
  const second = UserAgent.listen({ bind: first.address, onInvite: (invite) => invite.reject(486) });
  await assert.rejects(second, { code: "EADDRINUSE" });
  await first.close();
});

test("after 5,000 hostile datagrams over a real socket, the user agent still answers", async () => {
  const ua = await UserAgent.listen({ bind: loopback, onInvite: (invite) => invite.reject(486) });
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const random = seededRandom(5060);
  for (let count = 0; count < 5000; count++) {
    const data = hostileDatagram(random).subarray(0, 65_507);
    await new Promise<void>((resolve) => socket.send(data, ua.address.port, "127.0.0.1", () => resolve()));
  }
  const peer = await UserAgent.listen({ bind: loopback, onInvite: (invite) => invite.reject(486) });
  const target = `sip:127.0.0.1:${ua.address.port}`;
  const alive = await peer.options({ to: target, from: "sip:127.0.0.1" });
  assert.ok(alive.ok);
  socket.close();
  await Promise.all([ua.close(), peer.close()]);
  assert.deepEqual(ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
});
