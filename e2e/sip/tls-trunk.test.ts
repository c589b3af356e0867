import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { CallDetail } from "@parley/contract";
import { TestAuthority } from "../../packages/sip/src/testing/certificates.ts";
import { createAgent, textOf } from "../support/platform/agents.ts";
import { Baresip } from "../support/phone/baresip.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { withSilence } from "../support/audio/recordings.ts";
import { waitFor } from "@parley/testing";

const TO = "+14155550199";
const GREETING = "Hello, this is the railway club calling.";

describe(
  "a trunk over TLS, on a platform without a certificate",
  { skip: skipWithout("baresip", "openssl") },
  () => {
    let folder: string;
    let authority: TestAuthority;
    let platform: Platform;
    let baresip: Baresip;

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "parley-tls-"));
      authority = await TestAuthority.create();
      const { certificate, privateKey } = await authority.issue({ alternativeNames: ["IP:127.0.0.1"] });
      await writeFile(path.join(folder, "ca.pem"), authority.certificate);
      await writeFile(path.join(folder, "baresip.pem"), certificate + privateKey);
      const env = {
        PARLEY_SIP_TLS_CA: path.join(folder, "ca.pem"),
        PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS: "true",
      };
      platform = await Platform.start({ env });
      const pcm = withSilence(new Int16Array(0), { beforeMs: 60_000, afterMs: 0 });
      const settings = [`sip_certificate ${path.join(folder, "baresip.pem")}`];
      baresip = await Baresip.start({ from: TO, pcm, settings, isAnswering: true });
    });
    after(async () => {
      // First what is there even if the telephone did not start.
      await platform.stop();
      await baresip.close();
      await authority.remove();
      await rm(folder, { recursive: true, force: true });
    });

    test("is found in order, called, and hangs up by the connection that we opened", async () => {
      const { agentId, sipTrunkId } = await createAgent(platform, { firstMessageOutbound: GREETING });
      // It listens for TLS next to its other port.
      const proxyAddress = `127.0.0.1:${baresip.sipPort + 1}`;
      await platform.api.updateSipTrunk(sipTrunkId, { proxyAddress, transport: "tls" });
      const check = await platform.api.checkSipTrunk(sipTrunkId);
      assert.equal(check.isOk, true, check.message);
      const placed = await platform.api.createCall({ agentId, toNumber: TO });
      const read = async (): Promise<CallDetail> => await platform.api.getCall(placed.id);
      await waitFor("the greeting", async () => textOf(await read(), "agent").includes(GREETING));
      await baresip.hangUp();
      const call = await waitFor("the call's end", async () => {
        const found = await read();
        return found.endedAt !== null && found;
      });
      assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
      const { messages } = await waitFor("the BYE in its trace", async () => {
        const data = await platform.api.getCallTrace(placed.id);
        return data.messages.some(({ text }) => text.startsWith("BYE ")) && data;
      });
      assert.ok(messages.every(({ text }) => !text.includes("SIP/2.0/UDP")));
    });
  },
);
