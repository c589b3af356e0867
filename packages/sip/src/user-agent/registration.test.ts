import assert from "node:assert/strict";
import { test } from "node:test";
import { DigestAuthenticator } from "../digest/authenticator.ts";
import { assertNothingLeft, createRig, type Rig } from "../testing/rig.ts";
import type { Registration, RegistrationOptions, RegistrationState } from "./registration.ts";

interface Registered {
  rig: Rig;
  registration: Registration;
  states: RegistrationState[];
}

async function register(options: Partial<RegistrationOptions> = {}): Promise<Registered> {
  const rig = createRig({ random: () => 1 });
  const states: RegistrationState[] = [];
  const registration = rig.ua.register({
    address: "sip:line7@10.0.0.2",
    onChange: (state) => states.push(state),
    ...options,
  });
  await rig.clock.advance(0);
  return { rig, registration, states };
}

async function answer({ rig }: Registered, status: number, headers: readonly string[] = []): Promise<void> {
  rig.peer.respond(rig.peer.last("REGISTER"), status, "registrar", headers);
  await rig.clock.advance(0);
}

const ours = "<sip:line7@10.0.0.1:5060>";

test("an address is registered, refreshed before it expires, and removed at the end", async () => {
  const registered = await register();
  const { rig, registration, states } = registered;
  const first = rig.peer.last("REGISTER");
  assert.deepEqual(
    [
      first.requestUri,
      first.to.uri,
      first.from.uri,
      first.headers.get("contact"),
      first.headers.get("expires"),
    ],
    ["sip:10.0.0.2", "sip:line7@10.0.0.2", "sip:line7@10.0.0.2", ours, "600"],
  );
  await answer(registered, 200, [
    "Expires: 900",
    `Contact: <sip:old@10.9.9.9>;expires=50, ${ours};expires=300`,
  ]);
  assert.deepEqual(states, [
    { status: "registered", server: undefined, expiresSeconds: 300, serviceRoutes: [] },
  ]);
  // 70 s before the end of the 300 s granted to our Contact, not to the other one.
  await rig.clock.advance(229_000);
  assert.equal(rig.peer.requests("REGISTER").length, 1);
  await rig.clock.advance(2_000);
  const refresh = rig.peer.last("REGISTER");
  assert.deepEqual([refresh.callId, refresh.cseq.sequence], [first.callId, 2]);
  await answer(registered, 200, ["Expires: 300"]);
  const closing = registration.close();
  await rig.clock.advance(0);
  const last = rig.peer.last("REGISTER");
  assert.deepEqual(
    [last.headers.get("expires"), last.headers.get("contact"), last.cseq.sequence],
    ["0", ours, 3],
  );
  await answer(registered, 200);
  await closing;
  assert.equal(registration.state.status, "closed");
  await assertNothingLeft(rig);
});

test("the registrar's Service-Route is reported in order, and Path is listed as supported", async () => {
  const registered = await register();
  const { rig, registration, states } = registered;
  assert.equal(rig.peer.last("REGISTER").headers.get("supported"), "path");
  await answer(registered, 200, [
    "Expires: 300",
    "Service-Route: <sip:orig@edge.example;lr>, <sip:core.example;lr>",
    "Service-Route: <sip:farther.example;lr>",
  ]);
  const state = states.at(-1);
  assert.deepEqual(state?.status === "registered" && state.serviceRoutes, [
    "sip:orig@edge.example;lr",
    "sip:core.example;lr",
    "sip:farther.example;lr",
  ]);
  // RFC 3608 §5: each registration replaces the previous routes.
  await rig.clock.advance(240_000);
  await answer(registered, 200, ["Expires: 300"]);
  const next = states.at(-1);
  assert.deepEqual(next?.status === "registered" && next.serviceRoutes, []);
  registration.close().catch(assert.ifError);
  await rig.clock.advance(0);
  await answer(registered, 200);
  await assertNothingLeft(rig);
});

test("the registrar's next nonce is used with a count from one", async () => {
  const registered = await register({ credentials: { username: "line7", password: "p" } });
  const { rig, registration } = registered;
  await answer(registered, 401, ['WWW-Authenticate: Digest realm="trunk", nonce="first", qop="auth"']);
  await answer(registered, 200, ["Expires: 120", 'Authentication-Info: nextnonce="second", qop=auth']);
  await rig.clock.advance(61_000);
  assert.match(rig.peer.last("REGISTER").headers.get("authorization") ?? "", /nonce="second".*nc=00000001/);
  await answer(registered, 200, ["Expires: 120", 'Authentication-Info: nextnonce="second"']);
  await rig.clock.advance(61_000);
  assert.match(rig.peer.last("REGISTER").headers.get("authorization") ?? "", /nonce="second".*nc=00000002/);
  await answer(registered, 200, ["Expires: 120", "Authentication-Info: nextnonce=="]);
  registration.close().catch(assert.ifError);
  await rig.clock.advance(0);
  await answer(registered, 200);
  await assertNothingLeft(rig);
});

test("a challenge is answered, and refreshes reuse its nonce with an increasing count", async () => {
  const registered = await register({ credentials: { username: "line7", password: "p" } });
  const { rig, registration } = registered;
  const authenticator = new DigestAuthenticator({ realm: "trunk", clock: rig.clock });
  const check = (): Promise<unknown> => authenticator.verify(rig.peer.last("REGISTER"), () => "p");
  await answer(
    registered,
    401,
    authenticator.challenges().map((value) => `WWW-Authenticate: ${value}`),
  );
  assert.deepEqual(await check(), { ok: true, username: "line7" });
  await answer(registered, 200, ["Expires: 120"]);
  assert.equal(registration.state.status, "registered");
  await rig.clock.advance(61_000);
  assert.match(rig.peer.last("REGISTER").headers.get("authorization") ?? "", /nc=00000002/);
  assert.deepEqual(await check(), { ok: true, username: "line7" });
  // The registrar has dropped the nonce: one more round trip, not a failure.
  const stale = authenticator.challenges({}, true).map((value) => `WWW-Authenticate: ${value}`);
  await answer(registered, 401, stale);
  assert.deepEqual(await check(), { ok: true, username: "line7" });
  await answer(registered, 200, ["Expires: 120"]);
  registration.abandon();
  await assertNothingLeft(rig);
});

test("a rejected password is reported, and tried again only after a pause", async () => {
  const registered = await register({ credentials: { username: "line7", password: "wrong" } });
  const { rig, states, registration } = registered;
  for (const nonce of ["a", "b"]) {
    await answer(registered, 401, [`WWW-Authenticate: Digest realm="r", nonce="${nonce}"`]);
  }
  assert.equal(rig.peer.requests("REGISTER").length, 2);
  assert.deepEqual(states, [
    { status: "failed", reason: "401 Scripted", responseStatus: 401, retryInMs: 30_000 },
  ]);
  await rig.clock.advance(30_000);
  assert.equal(rig.peer.requests("REGISTER").length, 3);
  await answer(registered, 403);
  assert.deepEqual(states.at(-1), {
    status: "failed",
    reason: "403 Scripted",
    responseStatus: 403,
    retryInMs: 60_000,
  });
  registration.abandon();
  await assertNothingLeft(rig);
});

test("an interval that is too brief is raised to the registrar's minimum", async () => {
  const registered = await register({ expiresSeconds: 60 });
  const { rig, registration } = registered;
  await answer(registered, 423, ["Min-Expires: 1800"]);
  assert.equal(rig.peer.last("REGISTER").headers.get("expires"), "1800");
  await answer(registered, 200);
  assert.deepEqual(registration.state, {
    status: "registered",
    server: undefined,
    expiresSeconds: 1800,
    serviceRoutes: [],
  });
  registration.abandon();
  await assertNothingLeft(rig);
});

test("if one server does not answer, the next is tried at once; after all servers there is a growing pause", async () => {
  const registered = await register({
    servers: [
      { address: "10.0.0.8", port: 5060 },
      { address: "10.0.0.2", port: 5060 },
    ],
  });
  const { rig, registration, states } = registered;
  await rig.clock.advance(32_100);
  assert.equal(states[0]?.status === "failed" && states[0].reason, "the registrar does not answer");
  await answer(registered, 503, ["Retry-After: 200"]);
  assert.deepEqual(states.at(-1), {
    status: "failed",
    reason: "503 Scripted",
    responseStatus: 503,
    retryInMs: 200_000,
  });
  await rig.clock.advance(200_000 + 32_100);
  await answer(registered, 200);
  assert.deepEqual(registration.state, {
    status: "registered",
    server: { address: "10.0.0.2", port: 5060 },
    serviceRoutes: [],
    expiresSeconds: 600,
  });
  registration.abandon();
  await assertNothingLeft(rig);
});

test("closing the user agent removes its registrations", async () => {
  const registered = await register();
  const { rig, registration } = registered;
  await answer(registered, 200);
  const closing = rig.ua.close();
  await rig.clock.advance(0);
  assert.equal(rig.peer.last("REGISTER").headers.get("expires"), "0");
  await answer(registered, 200);
  await closing;
  assert.equal(registration.state.status, "closed");
  assert.equal(rig.clock.pendingCount, 0);
});

test("closing does not wait for a silent registrar", async () => {
  const { rig, registration } = await register();
  const closing = rig.ua.close({ deadlineMs: 1000 });
  await rig.clock.advance(1000);
  await closing;
  assert.equal(registration.state.status, "closed");
  assert.equal(rig.clock.pendingCount, 0);
});

test("a registration over UDP sends keep-alives while it lasts", async () => {
  const registered = await register();
  const { rig, registration } = registered;
  await rig.clock.advance(26_000);
  assert.equal(rig.peer.keepAlives, 0, "no keep-alive is sent before the registration succeeds");
  await answer(registered, 200, ["Expires: 300"]);
  await rig.clock.advance(100_000);
  assert.equal(rig.peer.keepAlives, 4);
  const closing = registration.close();
  await rig.clock.advance(0);
  await answer(registered, 200);
  await closing;
  await assertNothingLeft(rig);
  assert.equal(rig.peer.keepAlives, 4);
});
