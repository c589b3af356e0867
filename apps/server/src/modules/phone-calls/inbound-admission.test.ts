import assert from "node:assert/strict";
import { hash } from "node:crypto";
import test from "node:test";
import { HeaderList, type InviteToScreen, parseMessage, type Rejection } from "@parley/sip";
import { createLogger } from "../../platform/logging/logging.ts";
import type { InboundTrunk } from "../sip-trunks/sip-trunks.rules.ts";
import { InboundAdmission } from "./inbound-admission.ts";

const KNOWN = "+14155550123";
const CARRIER = "192.0.2.1";
const STRANGER = "198.51.100.7";

function admission({
  isInboundAuthenticated = false,
  named = [CARRIER] as readonly string[],
  isExhausted = false,
} = {}) {
  const trunk = {
    id: "trunk",
    organizationId: "organization",
    allowedAddresses: [...named],
    proxyAddress: null,
    transport: null,
    isInboundAuthenticated,
    username: "carrier",
  };
  let credentialsRead = 0;
  const subject = new InboundAdmission({
    inboundNumbers: {
      find: async (dialed) => ([...dialed].includes(KNOWN) ? [{ e164: KNOWN, trunks: [trunk] }] : []),
    },
    sipTrunks: {
      mayCallFrom: async (_, address) => named.length === 0 || named.includes(address),
      findCredentials: async () => {
        credentialsRead++;
        return { username: "carrier", password: "secret" };
      },
    },
    callQuota: { isExhausted: () => isExhausted },
    logger: createLogger({ level: "silent" }),
  });
  return { subject, reads: () => credentialsRead };
}

function invite(number: string, address: string, authorization?: string): InviteToScreen {
  const text = [
    `INVITE sip:${number}@parley.test SIP/2.0`,
    "Via: SIP/2.0/UDP a;branch=z9hG4bK1",
    "From: <sip:a@b>;tag=1",
    `To: <sip:${number}@parley.test>`,
    "Call-ID: x",
    "CSeq: 1 INVITE",
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    "",
    "",
  ].join("\r\n");
  const parsed = parseMessage(Buffer.from(text));
  assert.ok(parsed.ok && parsed.message.kind === "request");
  return { ...parsed.message, source: { protocol: "UDP", address, port: 5060 } };
}

function challengeIn(refusal: Rejection | undefined): string {
  assert.equal(refusal?.status, 401);
  const headers = new HeaderList();
  headers.addAll(refusal.content?.headers ?? {});
  return headers.get("www-authenticate") ?? "";
}

/** Authorization header for the SHA-256 challenge (RFC 7616 §3.4). */
function digestAnswer(challenge: string, password: string): string {
  const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? "";
  const secret = hash("sha256", `carrier:parley:${password}`);
  const response = hash("sha256", `${secret}:${nonce}:00000001:c:auth:${hash("sha256", "INVITE:sip:x")}`);
  return (
    `Digest username="carrier", realm="parley", nonce="${nonce}", uri="sip:x", algorithm=SHA-256, qop=auth, ` +
    `nc=00000001, cnonce="c", response="${response}"`
  );
}

test("forged INVITEs, however many, do not lock out the address that they name", async () => {
  const { subject } = admission();
  for (let count = 0; count < 1_000; count++) {
    assert.equal((await subject.refusalOf(invite(`+1415556${1000 + count}`, CARRIER)))?.status, 404);
    subject.mayReject(CARRIER);
  }
  assert.equal(subject.mayReject(CARRIER), false);
  assert.equal(await subject.refusalOf(invite(KNOWN, CARRIER)), undefined);
  assert.equal((await subject.refusalOf(invite(KNOWN, STRANGER)))?.status, 403);
});

test("an answer to another address's challenge reads no password and does not count against its sender", async () => {
  const { subject, reads } = admission({ isInboundAuthenticated: true, named: [] });
  const own = challengeIn(await subject.refusalOf(invite(KNOWN, STRANGER)));
  for (let count = 0; count < 100; count++) {
    const forged = digestAnswer(own, `guess ${count}`);
    challengeIn(await subject.refusalOf(invite(KNOWN, CARRIER, forged)));
  }
  assert.equal(reads(), 0);
  const challenge = challengeIn(await subject.refusalOf(invite(KNOWN, CARRIER)));
  const right = digestAnswer(challenge, "secret");
  assert.equal(await subject.refusalOf(invite(KNOWN, CARRIER, right)), undefined);
});

test("password guesses are limited by source address, except for addresses that the trunk names", async () => {
  for (const [named, passes] of [
    [[], false],
    [[STRANGER], true],
  ] as const) {
    const { subject, reads } = admission({ isInboundAuthenticated: true, named });
    const challenge = challengeIn(await subject.refusalOf(invite(KNOWN, STRANGER)));
    const answer = (password: string): InviteToScreen =>
      invite(KNOWN, STRANGER, digestAnswer(challenge, password));
    for (let count = 0; count < 100; count++) await subject.refusalOf(answer(`guess ${count}`));
    assert.equal(reads(), passes ? 100 : 30);
    assert.equal((await subject.refusalOf(answer("secret")))?.status, passes ? undefined : 403);
  }
});

test("calls of an organization at its limit are refused before they are looked up further", async () => {
  const { subject } = admission({ isExhausted: true });
  const refusal = await subject.refusalOf(invite(KNOWN, CARRIER));
  assert.deepEqual([refusal?.status, refusal?.content?.headers], [503, { "Retry-After": "5" }]);
  assert.equal((await subject.refusalOf(invite(KNOWN, STRANGER)))?.status, 403);
});

test("a number of several organizations leads to the trunk that the caller's user or address belongs to", async () => {
  const trunk = (id: string, fields: Partial<InboundTrunk>): InboundTrunk => ({
    id,
    organizationId: id,
    allowedAddresses: [],
    proxyAddress: null,
    transport: null,
    isInboundAuthenticated: false,
    username: null,
    ...fields,
  });
  const subject = new InboundAdmission({
    inboundNumbers: {
      find: async () => [
        {
          e164: KNOWN,
          trunks: [
            trunk("stranger's", { allowedAddresses: [STRANGER] }),
            trunk("other user's", { isInboundAuthenticated: true, username: "other" }),
            trunk("carrier's", { isInboundAuthenticated: true, username: "carrier" }),
          ],
        },
      ],
    },
    sipTrunks: {
      mayCallFrom: async ({ allowedAddresses }, address) =>
        allowedAddresses.length === 0 ? address !== STRANGER : allowedAddresses.includes(address),
      findCredentials: async (_, id) => ({ username: "any", password: `of the ${id}` }),
    },
    callQuota: { isExhausted: () => false },
    logger: createLogger({ level: "silent" }),
  });
  const open = invite(KNOWN, STRANGER);
  assert.equal(await subject.refusalOf(open), undefined);
  assert.deepEqual(subject.findAdmitted(open), { sipTrunkId: "stranger's", e164: KNOWN });

  const challenge = challengeIn(await subject.refusalOf(invite(KNOWN, CARRIER)));
  const wrong = invite(KNOWN, CARRIER, digestAnswer(challenge, "of the other user's"));
  assert.equal((await subject.refusalOf(wrong))?.status, 401);
  assert.equal(subject.findAdmitted(wrong), undefined);
  const right = invite(KNOWN, CARRIER, digestAnswer(challenge, "of the carrier's"));
  assert.equal(await subject.refusalOf(right), undefined);
  assert.deepEqual(subject.findAdmitted(right), { sipTrunkId: "carrier's", e164: KNOWN });
});
