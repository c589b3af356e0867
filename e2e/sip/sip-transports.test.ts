import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { UserAgent } from "@parley/sip";
import { type Certified, TestAuthority } from "../../packages/sip/src/testing/certificates.ts";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { talkByBaresip } from "../support/phone/baresip-person.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { freePort } from "@parley/testing";
import { Platform } from "../support/platform/platform.ts";
import { readRecording, toPackets, withSilence } from "../support/audio/recordings.ts";
import { sdp } from "../support/phone/raw-sip.ts";
import { talkBySipp } from "../support/phone/sipp-person.ts";
import { ask, assertTalk, greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const GREETING = "Hello, you may speak now.";

describe(
  "calls over other transports than UDP",
  { skip: skipWithout("sipp", "baresip", "openssl"), concurrency: true },
  () => {
    let folder: string;
    let platform: Platform;
    let number: string;
    let tlsPort: number;
    let authority: TestAuthority;

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "parley-tls-"));
      authority = await TestAuthority.create();
      await writeFile(inFolder("ca.pem"), authority.certificate);
      const { certificate, privateKey } = await issue("IP:127.0.0.1");
      await writeFile(inFolder("server.pem"), certificate);
      await writeFile(inFolder("server.key"), privateKey);
      tlsPort = await freePort();
      platform = await Platform.start({
        env: {
          PARLEY_SIP_TLS_PORT: String(tlsPort),
          PARLEY_SIP_TLS_CERT: inFolder("server.pem"),
          PARLEY_SIP_TLS_KEY: inFolder("server.key"),
          PARLEY_SIP_TLS_CA: inFolder("ca.pem"),
          PARLEY_SIP_TLS_VERIFY_CLIENTS: "true",
        },
      });
      ({ number } = await createAgent(platform, { firstMessage: GREETING }));
    });
    after(async () => {
      await platform.stop();
      await authority.remove();
      await rm(folder, { recursive: true, force: true });
    });

    const inFolder = (name: string): string => path.join(folder, name);

    async function issue(alternativeName: string): Promise<Certified> {
      return await authority.issue({ alternativeNames: [alternativeName] });
    }

    test("SIPp speaks over TCP and is understood", async () => {
      const from = "+15550600001";
      const recording = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 1500 });
      const audio = toPackets(recording, "PCMU");
      const call = await talkBySipp(platform, { from, number, transport: "tcp", audio });
      assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
      assertTalk(call, GREETING);
    });

    test("baresip calls over TLS, each side showing its certificate, and hangs up", async () => {
      const from = "+15550600002";
      const { certificate, privateKey } = await issue("URI:sip:127.0.0.1");
      await writeFile(inFolder("baresip.pem"), certificate + privateKey);
      const settings = [`sip_cafile ${inFolder("ca.pem")}`, `sip_certificate ${inFolder("baresip.pem")}`];
      const uri = `sip:${number}@127.0.0.1:${tlsPort};transport=tls`;
      const { call } = await talkByBaresip(platform, { from, uri, settings });
      assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
      assertTalk(call, GREETING);
    });

    test("a call over IPv6 is heard and answered, signaling and audio", async () => {
      const from = "+15550600003";
      const { sipPort } = platform;
      await using caller = await TestCaller.call({ sipPort, number, from, address: "::1" });
      try {
        assert.match(caller.session.remoteSdp, /^c=IN IP6 ::1\r$/m);
        await greeted(platform, caller);
        await ask(platform, caller);
      } finally {
        await caller.hangUp();
      }
      const call = await endedCall(platform, from);
      assertTalk(call, GREETING);
    });

    test("a call to a sips URI gets a sips Contact, at which the platform is reached", async (context) => {
      const from = "+15550600004";
      const { certificate, privateKey } = await issue("URI:sip:127.0.0.1");
      const contacts: string[] = [];
      const caller = await UserAgent.listen({
        bind: { address: "127.0.0.1", port: 0 },
        tls: { port: 0, certificate, privateKey, authorities: authority.certificate },
        onInvite: (invite) => invite.reject(486),
        onMessage: ({ direction, data }) => {
          const text = data.toString();
          if (direction === "in" && text.startsWith("SIP/2.0 200"))
            contacts.push(/^Contact: <([^>]+)>/m.exec(text)?.[1] ?? "");
        },
      });
      context.after(async () => await caller.close());
      const to = `sips:${number}@127.0.0.1:${tlsPort}`;
      const call = await caller.invite({ to, from: `sips:${from}@127.0.0.1`, sdp: sdp() });
      assert.ok(call.ok, JSON.stringify(call));
      assert.match(contacts[0] ?? "", new RegExp(`^sips:\\${number}@127\\.0\\.0\\.1:${tlsPort}$`));
      await call.session.bye();
      assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
    });

    test("audio to an unreachable address is rejected with the reason", async (context) => {
      const bind = { address: "127.0.0.1", port: 0 };
      const caller = await UserAgent.listen({ bind, onInvite: (invite) => invite.reject(486) });
      context.after(async () => await caller.close());
      const to = `sip:${number}@127.0.0.1:${platform.sipPort}`;
      // A link-local address says nothing without its link.
      const offer =
        "v=0\r\no=- 1 1 IN IP6 fe80::1\r\ns=-\r\nc=IN IP6 fe80::1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n";
      const call = await caller.invite({ to, from: "sip:me@127.0.0.1", sdp: offer });
      assert.ok(!call.ok);
      assert.deepEqual([call.status, call.headers?.get("warning")?.slice(0, 3)], [488, "300"]);
    });
  },
);
