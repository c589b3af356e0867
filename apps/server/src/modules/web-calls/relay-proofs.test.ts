import assert from "node:assert/strict";
import test from "node:test";
import { RelayProofs } from "./relay-proofs.ts";

const head = { method: "PATCH", path: "/rtc/calls/1/session", headers: { "if-match": '"1"' } };
const body = "a=ice-ufrag:mine\r\n";
const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);

function proofsAt(seconds: number, ...keys: Buffer[]): RelayProofs {
  return new RelayProofs(keys, { now: () => new Date(1_800_000_000_000 + seconds * 1000) });
}

test("a proof opens its own request only", () => {
  const proofs = proofsAt(0, oldKey);
  const proof = proofs.issue(head, body);
  assert.ok(proofs.isValid(proof, head) && proofs.isBody(proof, body));
  assert.ok(!proofs.isBody(proof, `${body}a=end-of-candidates\r\n`));
  const others = [
    { ...head, method: "DELETE" },
    { ...head, path: "/rtc/calls/2/session" },
    { ...head, headers: {} },
    { ...head, headers: { ...head.headers, "content-type": "application/sdp" } },
  ];
  for (const other of others) assert.ok(!proofs.isValid(proof, other), JSON.stringify(other));
});

test("a proof expires after 30 seconds, and one from the future is not valid", () => {
  const proof = proofsAt(0, oldKey).issue(head, body);
  for (const [seconds, isValid] of [
    [30, true],
    [-30, true],
    [31, false],
    [-31, false],
  ] as const)
    assert.equal(proofsAt(seconds, oldKey).isValid(proof, head), isValid, String(seconds));
});

test("a proof is valid on nodes that know its key, and nothing else is a proof", () => {
  const proof = proofsAt(0, oldKey).issue(head, body);
  assert.ok(proofsAt(0, newKey, oldKey).isValid(proof, head));
  assert.ok(!proofsAt(0, newKey).isValid(proof, head));
  const [time = "", bodyHash = "", signature = ""] = proof.split(".");
  const forged = ["", "true", `${time}..`, `${time}.${bodyHash}.${"A".repeat(43)}`, `${proof}=`, `1${proof}`];
  // The hash of another body, and a later time.
  forged.push(`${time}.${"A".repeat(43)}.${signature}`, `${Number(time) + 1}.${bodyHash}.${signature}`);
  for (const text of forged) assert.ok(!proofsAt(0, oldKey).isValid(text, head), text);
});
