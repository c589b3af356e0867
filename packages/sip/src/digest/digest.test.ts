import assert from "node:assert/strict";
import { test } from "node:test";
import { HeaderList } from "../messages/header-list.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { digestResponse } from "./algorithm.ts";
import { DigestAuthenticator } from "./authenticator.ts";
import { DigestClient } from "./client.ts";

function headersOf(name: string, ...values: string[]): HeaderList {
  const headers = new HeaderList();
  for (const value of values) headers.add(name, value);
  return headers;
}

const invite = { method: "INVITE", requestUri: "sip:b@h", body: "" };

test("responses match the examples of RFC 7616 §3.9.1 and RFC 2617 §3.5", () => {
  const common = {
    username: "Mufasa",
    realm: "http-auth@example.org",
    password: "Circle of Life",
    method: "GET",
    uri: "/dir/index.html",
    nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    qop: { nonceCount: "00000001", cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ" },
  };
  assert.equal(digestResponse({ ...common, algorithm: "MD5" }), "8ca523f5e9506fed4657c9700eebdbec");
  assert.equal(
    digestResponse({ ...common, algorithm: "SHA-256" }),
    "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
  );
  const older = {
    username: "Mufasa",
    realm: "testrealm@host.com",
    password: "Circle Of Life",
    method: "GET",
    uri: "/dir/index.html",
    nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093",
    algorithm: "MD5",
  } as const;
  const qop = { nonceCount: "00000001", cnonce: "0a4f113b" };
  assert.equal(digestResponse({ ...older, qop }), "6629fae49393a05397450978507c4ef1");
  // RFC 2069: without qop.
  assert.equal(digestResponse(older), "670fd8c2df070c60b045671b8b24ff02");
});

test("the strongest of several challenges is answered", () => {
  const client = new DigestClient({ username: "u", password: "p" });
  const headers = headersOf(
    "WWW-Authenticate",
    'Digest realm="r", nonce="n1", algorithm=MD5, qop="auth"',
    'Digest realm="r", nonce="n2", algorithm=SHA-512-256, qop="auth"',
    'Digest realm="r", nonce="n3", algorithm=sha-256, qop="auth-int,auth", opaque="o"',
  );
  assert.ok(client.storeChallenge(401, headers));
  const answer = client.authorize(invite);
  assert.match(
    String(answer["authorization"]),
    /nonce="n3".*algorithm=SHA-256, qop=auth, nc=00000001.*opaque="o"$/,
  );
});

test("rejected credentials are not sent again, but a stale nonce is replaced", () => {
  const client = new DigestClient({ username: "u", password: "p" });
  const ask = (extra: string): boolean =>
    client.storeChallenge(407, headersOf("Proxy-Authenticate", `Digest realm="r", nonce="n"${extra}`));
  assert.equal(ask(""), true);
  assert.equal(ask(""), false);
  assert.equal(ask(", stale=true"), true);
  client.startRequest();
  assert.equal(ask(""), true);
});

test("a server that reports every nonce as stale is answered a limited number of times", () => {
  const client = new DigestClient({ username: "u", password: "p" });
  let answers = 0;
  while (
    client.storeChallenge(
      401,
      headersOf("WWW-Authenticate", `Digest realm="r", nonce="${answers}", stale=true`),
    )
  )
    answers++;
  assert.equal(answers, 6);
});

test("a reused nonce has an increasing count, and a new one begins at one", () => {
  const client = new DigestClient({ username: "u", password: "p" });
  const challenge = (nonce: string): HeaderList =>
    headersOf("WWW-Authenticate", `Digest realm="r", nonce="${nonce}", qop="auth"`);
  const count = (): string | undefined =>
    /nc=(\w+)/.exec(String(client.authorize(invite)["authorization"]))?.[1];
  assert.deepEqual(client.authorize(invite), {});
  assert.ok(client.storeChallenge(401, challenge("a")));
  assert.deepEqual([count(), count()], ["00000001", "00000002"]);
  client.startRequest();
  assert.deepEqual(
    [count(), client.storeChallenge(401, challenge("b")), count()],
    ["00000003", true, "00000001"],
  );
});

test("the challenges of a proxy and a server are answered together", () => {
  const client = new DigestClient({ username: "u", password: "p" });
  assert.ok(client.storeChallenge(407, headersOf("Proxy-Authenticate", 'Digest realm="proxy", nonce="1"')));
  assert.ok(client.storeChallenge(401, headersOf("WWW-Authenticate", 'Digest realm="server", nonce="2"')));
  const fields = client.authorize(invite);
  assert.match(String(fields["proxy-authorization"]), /realm="proxy"/);
  assert.match(String(fields["authorization"]), /realm="server"/);
});

test("an unsupported challenge is ignored", () => {
  const client = new DigestClient({ username: "u", password: "p" });
  for (const value of [
    'Basic realm="r"',
    'Digest realm="r"',
    'Digest realm="r", nonce="n", qop="token"',
    "x",
  ]) {
    assert.equal(client.storeChallenge(401, headersOf("WWW-Authenticate", value)), false);
  }
});

test("auth-int authenticates the body, and is used only if nothing else is offered", async () => {
  const authenticator = new DigestAuthenticator({ realm: "parley", protections: ["auth-int"] });
  const client = new DigestClient({ username: "alice", password: "secret" });
  assert.ok(client.storeChallenge(401, headersOf("WWW-Authenticate", ...authenticator.challenges())));
  const verify = (body: string) => {
    const [value = ""] = client.authorize({ ...invite, body: "offer" })["authorization"] ?? [];
    assert.match(value, /qop=auth-int/);
    return authenticator.verify(
      { method: "INVITE", headers: headersOf("Authorization", value), body },
      passwordOf,
    );
  };
  assert.deepEqual(await verify("offer"), { ok: true, username: "alice" });
  const tampered = await verify("another offer");
  assert.ok(!tampered.ok && tampered.reason === "refused");
  const plain = new DigestAuthenticator({ realm: "parley" });
  const rejected = await plain.verify(
    {
      method: "INVITE",
      headers: headersOf("Authorization", String(client.authorize(invite)["authorization"])),
    },
    passwordOf,
  );
  assert.ok(!rejected.ok && rejected.reason === "malformed");
});

const passwordOf = (username: string): string | undefined => (username === "alice" ? "secret" : undefined);

function answerTo(challenge: string, credentials = { username: "alice", password: "secret" }): HeaderList {
  const client = new DigestClient(credentials);
  assert.ok(client.storeChallenge(401, headersOf("WWW-Authenticate", challenge)));
  return headersOf("Authorization", String(client.authorize(invite)["authorization"]));
}

test("the authenticator accepts the right password with either algorithm", async () => {
  const authenticator = new DigestAuthenticator({ realm: "parley" });
  const none = await authenticator.verify({ method: "INVITE", headers: new HeaderList() }, passwordOf);
  assert.ok(!none.ok && none.reason === "missing");
  assert.match(none.challenges[0] ?? "", /algorithm=SHA-256/);
  for (const index of [0, 1]) {
    const challenge = authenticator.challenges()[index] ?? "";
    const verdict = await authenticator.verify(
      { method: "INVITE", headers: answerTo(challenge) },
      passwordOf,
    );
    assert.deepEqual(verdict, { ok: true, username: "alice" });
  }
});

test("an answer with an algorithm that was not offered is rejected", async () => {
  const authenticator = new DigestAuthenticator({ realm: "parley", algorithms: ["MD5"] });
  const challenges = authenticator.challenges();
  assert.equal(challenges.length, 1);
  const upgraded = answerTo(String(challenges[0]).replace("MD5", "SHA-256"));
  const verdict = await authenticator.verify({ method: "INVITE", headers: upgraded }, passwordOf);
  assert.ok(!verdict.ok && verdict.reason === "malformed");
});

test("a wrong password, an unknown user, another method and a replay are rejected", async () => {
  const authenticator = new DigestAuthenticator({ realm: "parley" });
  const reasonFor = async (headers: HeaderList, method = "INVITE"): Promise<string> => {
    const verdict = await authenticator.verify({ method, headers }, passwordOf);
    return verdict.ok ? "ok" : verdict.reason;
  };
  const challenge = (): string => authenticator.challenges()[0] ?? "";
  assert.equal(await reasonFor(answerTo(challenge(), { username: "alice", password: "x" })), "refused");
  assert.equal(await reasonFor(answerTo(challenge(), { username: "eve", password: "secret" })), "refused");
  assert.equal(await reasonFor(answerTo(challenge()), "BYE"), "refused");
  const recorded = answerTo(challenge());
  assert.equal(await reasonFor(recorded), "ok");
  assert.equal(await reasonFor(recorded), "replayed");
  assert.equal(await reasonFor(headersOf("Authorization", 'Digest realm="parley", nonce="x"')), "malformed");
});

test("an old nonce and a foreign nonce are stale", async () => {
  const clock = new ManualClock();
  const authenticator = new DigestAuthenticator({ realm: "parley", nonceLifetimeMs: 1000, clock });
  const headers = answerTo(authenticator.challenges()[0] ?? "");
  await clock.advance(1001);
  const verdict = await authenticator.verify({ method: "INVITE", headers }, passwordOf);
  assert.ok(!verdict.ok && verdict.reason === "stale");
  assert.match(verdict.challenges[0] ?? "", /stale=true/);
  const foreign = answerTo('Digest realm="parley", nonce="abc.def", algorithm=MD5, qop="auth"');
  const other = await authenticator.verify({ method: "INVITE", headers: foreign }, passwordOf);
  assert.ok(!other.ok && other.reason === "stale");
});
