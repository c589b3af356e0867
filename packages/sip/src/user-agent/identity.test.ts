import assert from "node:assert/strict";
import { test } from "node:test";
import { HeaderList, type HeaderFields } from "../messages/header-list.ts";
import { ringOut } from "../testing/calls.ts";
import { assertNothingLeft } from "../testing/rig.ts";
import { readDiversions, readHistory } from "./invite/diversion.ts";
import { type CallerIdentity, readIdentity } from "./identity.ts";

function headersOf(fields: HeaderFields): HeaderList {
  const headers = new HeaderList();
  headers.addAll(fields);
  return headers;
}

function identityOf(fields: HeaderFields, from = "sip:+1555@trunk"): CallerIdentity {
  return readIdentity({
    headers: headersOf(fields),
    from: { displayName: "", uri: from, parameters: new Map() },
  });
}

test("the caller's identity is read from the asserted header fields", () => {
  const asserted = identityOf({
    "P-Asserted-Identity": ['"Ann" <sip:+1555@x>, <tel:+1555>'],
    Privacy: "none",
  });
  assert.deepEqual(
    asserted.asserted.map(({ displayName, uri }) => [displayName, uri]),
    [
      ["Ann", "sip:+1555@x"],
      ["", "tel:+1555"],
    ],
  );
  assert.equal(asserted.isPrivate, false);
  assert.equal(identityOf({ "Remote-Party-ID": "<sip:7@x>;party=calling;privacy=full" }).isPrivate, true);
  assert.equal(identityOf({ Privacy: "user;id" }).isPrivate, true);
  assert.equal(identityOf({}, "sip:anonymous@anonymous.invalid").isPrivate, true);
  assert.deepEqual(identityOf({ "P-Asserted-Identity": "<<nonsense" }).asserted, []);
});

test("a withheld caller is anonymous in From and Contact, and asserted only to the trunk", async () => {
  const { call } = await ringOut({
    identity: { asserted: { displayName: "Ann", uri: "sip:+1555@trunk" }, isPrivate: true },
  });
  const invite = call.rig.peer.last("INVITE");
  assert.equal(invite.from.uri, "sip:anonymous@anonymous.invalid");
  assert.equal(invite.headers.get("contact"), "<sip:10.0.0.1:5060>");
  assert.equal(invite.headers.get("p-asserted-identity"), '"Ann" <sip:+1555@trunk>');
  assert.equal(invite.headers.get("privacy"), "id");
  await call.respond("INVITE", 486);
  await assertNothingLeft(call.rig);
});

test("diversions are read, last one first", () => {
  const diversions = readDiversions(
    headersOf({
      Diversion: [
        '<sip:2@x>;reason=user-busy;counter=3, "Desk" <tel:+1>;reason="no-answer"',
        "<sip:0@x>;counter=x",
      ],
    }),
  );
  assert.deepEqual(
    diversions.map(({ address, reason, count }) => [address.uri, reason, count]),
    [
      ["sip:2@x", "user-busy", 3],
      ["tel:+1", "no-answer", 1],
      ["sip:0@x", undefined, 1],
    ],
  );
  assert.deepEqual(readDiversions(new HeaderList()), []);
});

test("the history of a call is read with indexes and causes", () => {
  const history = readHistory(
    headersOf({
      "History-Info": [
        "<sip:office@example.com>;index=1, <sip:mobile@example.com;cause=486>;index=1.1;rc=1",
        "<sip:agent@example.com?Reason=SIP%3Bcause%3D302>;index=1.2",
        "<sip:lost@example.com>",
      ],
    }),
  );
  assert.deepEqual(
    history.map(({ address, index, cause }) => [address.uri.split(/[@;]/)[0], index, cause]),
    [
      ["sip:office", "1", undefined],
      ["sip:mobile", "1.1", "486"],
      ["sip:agent", "1.2", "302"],
    ],
  );
});
