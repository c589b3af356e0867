import assert from "node:assert/strict";
import { test } from "node:test";
import { createRig } from "../testing/rig.ts";

test("an INVITE with escaped control characters in an address is answered 400 and not passed on", async () => {
  let inviteCount = 0;
  const { clock, peer } = createRig({ onInvite: () => void inviteCount++ });
  const statuses: number[] = [];
  const invite = async (replace: (text: string) => string): Promise<void> => {
    const lines = [
      "INVITE sip:agent@10.0.0.1 SIP/2.0",
      `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bK${statuses.length}`,
      "From: <sip:caller@10.0.0.2>;tag=1",
      "To: <sip:agent@10.0.0.1>",
      `Call-ID: c${statuses.length}`,
      "CSeq: 1 INVITE",
      "Contact: <sip:caller@10.0.0.2>",
      "Content-Length: 0",
    ];
    peer.received.length = 0;
    peer.send(replace([...lines, "", ""].join("\r\n")));
    await clock.advance(0);
    const [response] = peer.received;
    assert.equal(response?.kind, "response");
    statuses.push(response.status);
  };
  await invite((text) => text.replace("sip:agent@", "sip:%00abc@"));
  await invite((text) => text.replace("From: <sip:caller@", "From: <sip:%00abc@"));
  await invite((text) => text.replace("To: <sip:agent@", "To: <sip:a%0Ab@"));
  await invite((text) => text.replace("From: <sip:caller@", "From: <sip:%7F@"));
  assert.deepEqual(statuses, [400, 400, 400, 400]);
  assert.equal(inviteCount, 0);
  await invite((text) => text.replace("sip:agent@", "sip:agent%41@"));
  assert.equal(inviteCount, 1);
});
