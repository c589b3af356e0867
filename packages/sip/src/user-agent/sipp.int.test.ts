import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { freePort } from "@parley/testing";
import { acceptAnswer, answerOffer, type AudioSettings, buildOffer } from "../sdp/negotiate.ts";
import type { SessionEnd } from "./session/session.ts";
import { UserAgent } from "./user-agent.ts";

const hasSipp = spawnSync("sipp", ["-v"]).error === undefined;
if (!hasSipp && process.env["CI"] === "true") throw new Error("SIPp is missing: apt-get install sip-tester");
const skip = hasSipp
  ? false
  : "SIPp is not installed (apt-get install sip-tester): NOT checked against a real peer";

const audio: AudioSettings = {
  address: "127.0.0.1",
  port: 40_000,
  codecs: [
    { name: "PCMU", clockRateHz: 8000, payloadType: 0 },
    { name: "PCMA", clockRateHz: 8000, payloadType: 8 },
  ],
};

/** Runs SIPp to its end; the status is 0 if every call matched its scenario. */
async function runSipp(args: readonly string[]): Promise<number> {
  // SIPp takes two more ports for video.
  const [port, mediaPort] = [await freePort(), await freePort(4)];
  const common = [
    "-i",
    "127.0.0.1",
    "-p",
    String(port),
    "-mp",
    String(mediaPort),
    "-nostdin",
    "-timeout",
    "20s",
  ];
  const child = spawn("sipp", [...args, ...common], { stdio: "ignore", cwd: "/tmp" });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : -1;
}

test("SIPp's caller is answered, acknowledges, and its BYE ends each session", { skip }, async () => {
  const ends: Promise<SessionEnd>[] = [];
  const ua = await UserAgent.listen({
    bind: { address: "127.0.0.1", port: 0 },
    onInvite(invite) {
      invite.ring();
      const answer = answerOffer(invite.body, audio);
      if (!answer.ok) {
        invite.reject(answer.status, answer.reason);
        return;
      }
      ends.push(
        invite.accept({ sdp: answer.sdp }).then((result) => {
          assert.ok(result.ok);
          return result.session.ended;
        }),
      );
    },
  });
  const code = await runSipp([
    "-sn",
    "uac",
    `127.0.0.1:${ua.address.port}`,
    "-m",
    "10",
    "-r",
    "20",
    "-d",
    "50",
  ]);
  const causes = (await Promise.all(ends)).map(({ cause }) => cause);
  await ua.close();
  assert.equal(code, 0);
  assert.deepEqual(
    causes,
    Array.from({ length: 10 }, () => "remote_bye"),
  );
  assert.deepEqual(ua.counts, { transactions: 0, dialogs: 0, calls: 0 });
});

test("a call to SIPp's answering side is set up and ended by our BYE", { skip }, async () => {
  const ua = await UserAgent.listen({
    bind: { address: "127.0.0.1", port: 0 },
    onInvite: (invite) => invite.reject(486),
  });
  // SIPp takes two more ports for video.
  const [port, mediaPort] = [await freePort(), await freePort(4)];
  const args = ["-sn", "uas", "-i", "127.0.0.1", "-p", String(port), "-mp", String(mediaPort)];
  const sipp = spawn("sipp", [...args, "-m", "1", "-nostdin", "-timeout", "20s"], {
    stdio: "ignore",
    cwd: "/tmp",
  });
  const exited = once(sipp, "exit");
  const statuses: number[] = [];
  const result = await ua.invite({
    to: `sip:service@127.0.0.1:${port}`,
    from: { displayName: "Parley", uri: "sip:+15550100@127.0.0.1" },
    sdp: buildOffer(audio),
    onProvisional: ({ status }) => statuses.push(status),
  });
  assert.ok(result.ok);
  const agreed = acceptAnswer(result.session.remoteSdp, audio);
  assert.ok(agreed.ok);
  assert.deepEqual(agreed.audio.remote, { address: "127.0.0.1", port: mediaPort });
  await result.session.bye();
  assert.deepEqual(await result.session.ended, { cause: "local_bye" });
  const [code] = await exited;
  await ua.close();
  assert.deepEqual(statuses, [180]);
  assert.equal(code, 0);
});
