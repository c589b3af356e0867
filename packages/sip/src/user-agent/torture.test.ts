import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAuthentication } from "../grammar/authentication.ts";
import { type NameAddress, parseNameAddress } from "../grammar/name-address.ts";
import { parseUri, type Uri } from "../grammar/uri.ts";
import { parseViaList, type Via } from "../grammar/via.ts";
import { addressesOf, type SipMessage, type SipRequest } from "../messages/message.ts";
import { parseMessage } from "../messages/parse.ts";
import { answerOffer, type AudioSettings } from "../sdp/negotiate.ts";
import { createRig } from "../testing/rig.ts";
import { ipv6TortureMessages, tortureMessage, tortureNames } from "../testing/torture.ts";

/** The expected result of the parser, and the final response of the user agent. */
interface ExpectedAnswer {
  /** The reason if the parser rejects it; absent if it is accepted. */
  rejection?: string;
  /** The status of the final response; null if none may be sent. */
  status: number | null;
}

const answers: Record<(typeof tortureNames)[number], ExpectedAnswer> = {
  // Its To has the tag of a dialog that does not exist.
  wsinv: { status: 481 },
  intmeth: { status: 501 },
  esc01: { status: 200 },
  // Not a registrar.
  escnull: { status: 405 },
  esc02: { status: 501 },
  lwsdisp: { status: 200 },
  longreq: { status: 200 },
  // Only the first of the two requests is read.
  dblreq: { status: 405 },
  semiuri: { status: 200 },
  transports: { status: 200 },
  mpart01: { status: 405 },
  unreason: { status: null },
  noreason: { status: null },
  badinv01: { rejection: "Bad Via", status: 400 },
  clerr: { rejection: "Bad Content-Length", status: 400 },
  ncl: { rejection: "Bad Content-Length", status: 400 },
  scalar02: { rejection: "Bad CSeq", status: 400 },
  scalarlg: { rejection: "Bad CSeq", status: null },
  quotbal: { rejection: "Bad To", status: 400 },
  ltgtruri: { rejection: "Bad Request-URI", status: 400 },
  lwsruri: { rejection: "Bad Request-Line", status: 400 },
  lwsstart: { rejection: "Bad Request-Line", status: 400 },
  trws: { rejection: "Bad Request-Line", status: 400 },
  escruri: { rejection: "Bad Request-URI", status: 400 },
  // Date is not used, so it is not read.
  baddate: { status: 200 },
  // Its Contact is malformed (below), but the method is rejected first.
  regbadct: { status: 405 },
  // The extra spaces leave the meaning clear, and the RFC permits reading it.
  badaspec: { status: 200 },
  // Without its empty line in the archive; with it, From is rejected (below).
  baddn: { rejection: "Header Fields Not Ended", status: 400 },
  badvers: { rejection: "Version Not Supported", status: 505 },
  mismatch01: { rejection: "CSeq Method Mismatch", status: 400 },
  mismatch02: { rejection: "CSeq Method Mismatch", status: 400 },
  bigcode: { rejection: "Bad Start Line", status: null },
  badbranch: { status: 200 },
  insuf: { rejection: "Bad From", status: 400 },
  unkscm: { status: 416 },
  novelsc: { status: 416 },
  unksm2: { status: 405 },
  bext01: { status: 420 },
  invut: { status: 415 },
  regaut01: { status: 405 },
  multi01: { rejection: "Bad From", status: 400 },
  mcl01: { rejection: "Bad Content-Length", status: 400 },
  // A response whose second Via is foreign.
  bcast: { status: null },
  // Max-Forwards applies only to proxies.
  zeromf: { status: 200 },
  cparam01: { status: 405 },
  cparam02: { status: 405 },
  regescrt: { status: 405 },
  // Its Accept excludes our only type of answer.
  sdp01: { status: 406 },
  // Valid in RFC 2543; but without a Contact, our requests could not reach the caller (RFC 3261 §8.1.1.8).
  inv2543: { status: 400 },
};

const ipv6Answers: Record<keyof typeof ipv6TortureMessages, ExpectedAnswer> = {
  "4.1 good": { status: 405 },
  "4.2 without brackets": { rejection: "Bad Request-URI", status: 400 },
  "4.3 port inside the brackets": { status: 405 },
  "4.4 port behind the brackets": { status: 405 },
  "4.5 received in brackets": { status: 481 },
  "4.5 received without brackets": { status: 200 },
  // Valid, but offers none of our codecs.
  "4.6 addresses in SDP": { status: 488 },
  "4.7 both families in Via": { status: 481 },
  "4.8 both families in SDP": { status: 200 },
  "4.9 IPv4-mapped addresses": { status: 488 },
  "4.10 one colon too many": { status: 200 },
  "4.10 valid colons": { status: 200 },
};

const audio: AudioSettings = {
  address: "10.0.0.1",
  port: 40_000,
  codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
};

/** The status of the final response by a user agent that accepts every possible call. */
async function statusFor(data: Buffer): Promise<number | null> {
  const { clock, network, ua } = createRig({
    onInvite: (invite) => {
      const answer = answerOffer(invite.body, audio);
      if (answer.ok) void invite.accept({ sdp: answer.sdp });
      else invite.reject(answer.status);
    },
  });
  network.transport({ address: "10.0.0.3", port: 5060 }).send(data, ua.address);
  await clock.advance(0);
  const statuses = network.sent
    .filter(({ from }) => from.address === ua.address.address)
    .map((datagram) => Number(/^SIP\/2\.0 (\d{3}) /.exec(datagram.data.toString("latin1"))?.[1]));
  await clock.advance(200_000);
  return statuses.find((status) => status >= 200) ?? null;
}

async function assertAnswer(
  name: string,
  data: Buffer,
  { rejection, status }: ExpectedAnswer,
): Promise<void> {
  const parsed = parseMessage(data);
  assert.equal(parsed.ok ? undefined : parsed.reason, rejection, name);
  if (!parsed.ok && status !== null) assert.equal(parsed.status, status, name);
  assert.equal(await statusFor(data), status, name);
}

test("every torture message of RFC 4475 gets its right answer", async () => {
  for (const name of tortureNames) await assertAnswer(name, tortureMessage(name), answers[name]);
});

test("every IPv6 torture message of RFC 5118 gets its right answer", async () => {
  for (const [name, answer] of Object.entries(ipv6Answers)) {
    const text = Object.entries(ipv6TortureMessages).find(([each]) => each === name)?.[1];
    await assertAnswer(name, Buffer.from(text ?? ""), answer);
  }
});

function read(data: Buffer): SipMessage {
  const parsed = parseMessage(data);
  assert.ok(parsed.ok);
  return parsed.message;
}

function readRequest(name: (typeof tortureNames)[number]): SipRequest {
  const message = read(tortureMessage(name));
  assert.equal(message.kind, "request");
  return message;
}

function readIpv6(name: keyof typeof ipv6TortureMessages): SipRequest {
  const message = read(Buffer.from(ipv6TortureMessages[name]));
  assert.equal(message.kind, "request");
  return message;
}

function sipUri(text: string | undefined): Exclude<Uri, { scheme: "tel" }> {
  const uri = parseUri(text ?? "");
  assert.ok(uri !== undefined && uri.scheme !== "tel", text);
  return uri;
}

function contactsOf({ headers }: SipMessage): NameAddress[] {
  return addressesOf(headers, "contact") ?? [];
}

test("a short tortuous INVITE is read to its last parameter (§3.1.1.1)", () => {
  const { headers, from, to, cseq, topVia, body } = readRequest("wsinv");
  assert.deepEqual([to.uri, to.parameters.get("tag")], ["sip:vivekg@chair-dnrc.example.com", "1918181833n"]);
  assert.deepEqual([from.displayName, from.parameters.get("tag")], ['J Rosenberg \\"', "98asjd8"]);
  assert.deepEqual(cseq, { sequence: 9, method: "INVITE" });
  assert.equal(topVia.host, "192.0.2.2");
  const vias: Via[] = [];
  assert.ok(headers.getAll("via").every((line) => parseViaList(line, vias)));
  assert.deepEqual(
    vias.map(({ host, transport, parameters }) => [host, transport, parameters.get("branch")]),
    [
      ["192.0.2.2", "UDP", "390skdjuw"],
      ["spindle.example.com", "TCP", "z9hG4bK9ikj8"],
      ["192.168.255.111", "UDP", "z9hG4bK30239"],
    ],
  );
  assert.equal(headers.get("subject"), "");
  assert.equal(headers.get("newfangledheader"), "newfangled value continued newfangled value");
  assert.equal(headers.get("unknownheaderwithunusualvalue"), ";;,,;;,;");
  const [contact] = addressesOf(headers, "contact") ?? [];
  assert.equal(contact?.displayName, 'Quoted string ""');
  assert.deepEqual(
    [...(contact?.parameters ?? [])],
    [
      ["newparam", "newvalue"],
      ["secondparam", ""],
      ["q", "0.33"],
    ],
  );
  assert.equal(body.length, 150);
});

test("legal unusual characters are kept (§3.1.1.2)", () => {
  const request = readRequest("intmeth");
  assert.equal(request.method, "!interesting-Method0123456789_*+`.%indeed'~");
  const uri = sipUri(request.requestUri);
  assert.equal(uri.user, "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*");
  assert.equal(uri.password, "&it+has=1,weird!*pas$wo~d_too.(doesn't-it)");
  assert.equal(request.to.displayName, "BEL:\u0007 NUL:\0 DEL:\u007F");
  assert.equal(request.from.displayName, "token1~` token2'+_ token3*%!.-");
  assert.equal(request.from.parameters.get("fromparam''~+*_!.-%"), '"работающий"');
  assert.equal(request.from.parameters.get("tag"), "_token~1'+`*%!-.");
  assert.equal(request.callId, "intmeth.word%ZK-!.*_+'@word`~)(><:\\/\"][?}{");
  assert.equal(request.headers.get("extensionHeader-!.%*+_`'~"), "\uFEFF大停電");
});

test("only real escapes are decoded (§3.1.1.3 to §3.1.1.5)", () => {
  const escaped = readRequest("esc01");
  assert.equal(sipUri(escaped.requestUri).user, "sips:user@example.com");
  assert.equal(sipUri(escaped.to.uri).user, "user");
  assert.equal(sipUri(escaped.from.uri).user, "I have spaces");
  const contact = sipUri(contactsOf(escaped)[0]?.uri);
  assert.equal(contact.user, "caller");
  assert.deepEqual(
    [...contact.parameters],
    [
      ["lr", ""],
      ["name", "value%41"],
    ],
  );
  const nulls = readRequest("escnull");
  assert.equal(sipUri(nulls.to.uri).user, "null-\0-null");
  assert.deepEqual(
    contactsOf(nulls).map(({ uri }) => sipUri(uri).user),
    ["\0", "\0\0"],
  );
  const literal = readRequest("esc02");
  assert.equal(literal.method, "RE%47IST%45R");
  assert.equal(literal.to.displayName, "%Z%45");
  assert.equal(contactsOf(literal).length, 2);
});

test("the long request keeps every Via and its whole body (§3.1.1.7)", () => {
  const request = readRequest("longreq");
  assert.equal(request.headers.count("via"), 34);
  assert.ok(request.from.parameters.get("tag")?.endsWith("982424"));
  assert.equal(request.body.length, 150);
});

test("a parameter belongs to the URI inside brackets and to the header outside (§3.3.12, §3.3.13)", () => {
  const [outside] = contactsOf(readRequest("cparam01"));
  assert.ok(outside?.parameters.has("unknownparam"));
  const [inside] = contactsOf(readRequest("cparam02"));
  assert.ok(sipUri(inside?.uri).parameters.has("unknownparam"));
  assert.equal(inside?.parameters.size, 0);
  // Header fields in a URI need the brackets (§3.1.2.13, §3.3.14).
  assert.equal(addressesOf(readRequest("regbadct").headers, "contact"), undefined);
  assert.equal(
    sipUri(contactsOf(readRequest("regescrt"))[0]?.uri).headers,
    "Route=%3Csip:sip.example.com%3E",
  );
  assert.equal(sipUri(readRequest("semiuri").requestUri).user, "user;par=u@example.net");
});

test("reason phrases may be empty or in any script (§3.1.1.12, §3.1.1.13)", () => {
  const unusual = read(tortureMessage("unreason"));
  assert.ok(unusual.kind === "response");
  assert.equal(unusual.reason, "= 2**3 * 5**2 но сто девяносто девять - простое");
  const empty = read(tortureMessage("noreason"));
  assert.ok(empty.kind === "response");
  assert.deepEqual([empty.status, empty.reason], [100, ""]);
});

test("a comma in a display name needs quotes (§3.1.2.15)", () => {
  const parsed = parseMessage(Buffer.concat([tortureMessage("baddn"), Buffer.from("\r\n")]));
  assert.equal(parsed.ok ? undefined : parsed.reason, "Bad From");
});

test("a binary multipart body is unchanged (§3.1.1.11)", () => {
  const { body } = readRequest("mpart01");
  assert.equal(body.length, 553);
  assert.deepEqual(body, tortureMessage("mpart01").subarray(-553));
});

test("credentials with an unknown scheme are read (§3.3.7)", () => {
  const value = parseAuthentication(readRequest("regaut01").headers.get("authorization") ?? "");
  assert.equal(value?.scheme, "NoOneKnowsThisScheme");
});

test("only a number behind the brackets of an IPv6 address is a port (RFC 5118 §4.3, §4.4)", () => {
  const hostAndPort = (name: keyof typeof ipv6TortureMessages): unknown => {
    const { host, port } = sipUri(readIpv6(name).requestUri);
    return [host, port];
  };
  assert.deepEqual(hostAndPort("4.3 port inside the brackets"), ["[2001:db8::10:5070]", undefined]);
  assert.deepEqual(hostAndPort("4.4 port behind the brackets"), ["[2001:db8::10]", 5070]);
  assert.deepEqual(hostAndPort("4.10 one colon too many"), ["[2001:db8:::192.0.2.1]", undefined]);
  assert.equal(parseNameAddress("<sip:ted@[::ffff:192.0.2.2]>")?.uri, "sip:ted@[::ffff:192.0.2.2]");
  const { topVia } = readIpv6("4.9 IPv4-mapped addresses");
  assert.deepEqual([topVia.host, topVia.port], ["[::ffff:192.0.2.10]", 19_823]);
});

test("an IPv6 address in received is read with and without brackets (RFC 5118 §4.5)", () => {
  const received = (name: keyof typeof ipv6TortureMessages): string | undefined =>
    readIpv6(name).topVia.parameters.get("received");
  assert.equal(received("4.5 received in brackets"), "[2001:db8::9:255]");
  assert.equal(received("4.5 received without brackets"), "2001:db8::9:255");
});
