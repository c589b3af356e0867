import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAuthentication } from "../grammar/authentication.ts";
import { parseUri } from "../grammar/uri.ts";
import { parseViaList } from "../grammar/via.ts";
import { parseDescription } from "../sdp/description.ts";
import { liveHeapBytes } from "../testing/heap.ts";
import { seededRandom } from "@parley/testing";
import { hostileDatagram } from "../testing/mutate.ts";
import { addressesOf, serializeMessage, type SipMessage } from "./message.ts";
import { parseMessage } from "./parse.ts";
import { createResponse } from "./response.ts";

const MESSAGES = 100_000;
/** From the first tenth to the end. The parser stores nothing, so this is the growth of the engine's own caches. */
const HEAP_GROWTH_BYTES = 4 * 1024 * 1024;

/** Reads all fields that are parsed on demand. */
function readFully({ headers, from, to, body }: SipMessage): void {
  for (const name of ["contact", "route", "record-route", "refer-to"]) {
    for (const { uri } of addressesOf(headers, name) ?? []) parseUri(uri);
  }
  for (const line of headers.getAll("via")) parseViaList(line, []);
  for (const line of headers.getAll("authorization")) parseAuthentication(line);
  for (const name of ["allow", "supported", "require"]) headers.getList(name);
  parseUri(from.uri);
  parseUri(to.uri);
  parseDescription(body.toString());
}

/** Asserts that a message that was read and serialized has the same meaning. */
function assertReadsBack(message: SipMessage): void {
  const { headers, body } = message;
  const text = body.toString();
  const kept = headers.copyOf(["via", "from", "to", "call-id", "cseq", "contact"]);
  const written =
    message.kind === "request"
      ? { method: message.method, requestUri: message.requestUri, headers: kept, body: text }
      : { status: message.status, reason: message.reason, headers: kept, body: text };
  const again = parseMessage(serializeMessage(written));
  assert.ok(again.ok, again.ok ? "" : again.reason);
  const { callId, cseq, from, to, topVia } = again.message;
  assert.deepEqual(
    { callId, cseq, from, to, topVia },
    {
      callId: message.callId,
      cseq: message.cseq,
      from: message.from,
      to: message.to,
      topVia: message.topVia,
    },
  );
}

test("100,000 mutated messages are read or rejected with a reason, and memory does not grow", () => {
  const random = seededRandom(3261);
  let heapAtStart = 0;
  let readCount = 0;
  const rejections = new Map<string, number>();
  for (let count = 0; count < MESSAGES; count++) {
    if (count === MESSAGES / 10) heapAtStart = liveHeapBytes();
    const result = parseMessage(hostileDatagram(random));
    if (result.ok) {
      readCount++;
      readFully(result.message);
      assertReadsBack(result.message);
      continue;
    }
    const { reason, status, request } = result;
    assert.match(reason, /^[A-Z][A-Za-z -]+$/);
    assert.ok([400, 505, 513].includes(status));
    rejections.set(reason, (rejections.get(reason) ?? 0) + 1);
    // The rejection itself can be sent.
    if (request !== undefined) serializeMessage(createResponse(request.headers, status, "tag", { reason }));
  }
  const growth = liveHeapBytes() - heapAtStart;
  assert.ok(growth < HEAP_GROWTH_BYTES, `${growth} bytes more`);
  assert.ok(readCount > MESSAGES / 5, `${readCount} read`);
  // Every check of the parser was reached.
  assert.ok(rejections.size >= 14, [...rejections.keys()].join(", "));
});

test("every prefix of a torture message is read or rejected", () => {
  const random = seededRandom(5118);
  for (let count = 0; count < 200; count++) {
    const whole = hostileDatagram(random).subarray(0, 4000);
    for (let length = 0; length < whole.length; length += 7) parseMessage(whole.subarray(0, length));
  }
});
