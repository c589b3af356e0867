import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerOffer,
  type AudioSettings,
  buildOffer,
  type IncomingInvite,
  type IncomingRefer,
  type RegistrationState,
  UserAgent,
} from "@parley/sip";
import { Sipp } from "../support/phone/sipp.ts";

const audio: AudioSettings = {
  address: "127.0.0.1",
  port: 40_000,
  codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
};

function listen(onInvite: (invite: IncomingInvite) => void): Promise<UserAgent> {
  return UserAgent.listen({ bind: { address: "127.0.0.1", port: 0 }, onInvite, onError: assert.ifError });
}

test("SIPp redirects us, sends early media reliably, is held through a 491, and takes a key and a transfer", async () => {
  const ua = await listen((invite) => invite.reject(486));
  const sipp = await Sipp.start("called-carrier");
  const statuses: number[] = [];
  const result = await ua.invite({
    to: `sip:service@127.0.0.1:${sipp.port}`,
    from: "sip:agent@127.0.0.1",
    sdp: buildOffer(audio),
    onProvisional: ({ status }) => statuses.push(status),
  });
  assert.ok(result.ok, JSON.stringify(result));
  const { session } = result;
  assert.match(session.remoteSdp, /m=audio/);
  const held = await session.hold();
  assert.ok(held.ok, JSON.stringify(held));
  const key = await session.sendDtmf("5");
  assert.ok(key.ok);
  const progress: number[] = [];
  const outcome = await session.refer({
    to: "sip:third@example.com",
    onProgress: ({ status }) => progress.push(status),
  });
  assert.deepEqual([outcome.ok, progress], [true, [100, 200]]);
  await session.bye();
  await sipp.done;
  await ua.close();
  assert.deepEqual(statuses, [183]);
});

test("SIPp asks for a session of 40 s, calls with 100rel, holds by UPDATE, presses a key and transfers", async () => {
  const keys: string[] = [];
  const ended = Promise.withResolvers<string>();
  let isHeld = false;
  async function answer(invite: IncomingInvite): Promise<void> {
    const answered = answerOffer(invite.body, audio);
    assert.ok(answered.ok);
    invite.ring(183, { sdp: answered.sdp });
    const accepted = await invite.accept({ sdp: answered.sdp });
    assert.ok(accepted.ok, JSON.stringify(accepted));
    const { session } = accepted;
    session.onDtmf = ({ digit }) => {
      isHeld = session.isHeld;
      keys.push(digit);
    };
    session.onRefer = (refer: IncomingRefer) => {
      refer.accept();
      refer.report(180);
      refer.report(200);
    };
    ended.resolve((await session.ended).cause);
  }
  const ua = await listen((invite) => void answer(invite).catch(ended.reject));
  const sipp = await Sipp.start("calling-carrier", { calledPort: ua.address.port });
  await sipp.done;
  assert.equal(await ended.promise, "remote_bye");
  await ua.close();
  assert.deepEqual([keys, isHeld], [["7"], true]);
  assert.deepEqual(ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
});

test("SIPp as a registrar challenges us, raises the interval, and sees us go", async () => {
  const ua = await listen((invite) => invite.reject(486));
  const sipp = await Sipp.start("registrar");
  const registered = Promise.withResolvers<RegistrationState>();
  const registration = ua.register({
    address: `sip:line@127.0.0.1:${sipp.port}`,
    servers: [{ address: "127.0.0.1", port: sipp.port, protocol: "UDP" }],
    credentials: { username: "line", password: "secret" },
    onChange: registered.resolve,
  });
  const state = await registered.promise;
  assert.deepEqual(
    [state.status, state.status === "registered" && state.expiresSeconds],
    ["registered", 1100],
  );
  await registration.close();
  await sipp.done;
  await ua.close();
});
