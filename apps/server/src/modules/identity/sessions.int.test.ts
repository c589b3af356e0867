import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { AuditLogEntry, CurrentSession } from "@parley/contract";
import type { createTestServer } from "../testing.ts";
import { openIdentity, PASSWORD, totpOf } from "./testing.ts";

async function open(context: TestContext, options?: Parameters<typeof createTestServer>[0]) {
  const identity = await openIdentity(options);
  context.after(async () => await identity.close());
  return identity;
}

test("the owner signs up with the link, and the session works on the API", async (context) => {
  const { server, browse } = await open(context);
  const token = await server.modules.ownerSignUp.createToken();
  const ada = browse();
  assert.deepEqual((await ada.send("GET", "/auth/settings")).body, {
    data: { hasOwner: false, isSignedIn: false, canSendMail: false },
  });
  assert.equal((await ada.send("GET", "/auth/session")).status, 401);
  const person = { name: "Ada", email: "Ada@Example.com", password: PASSWORD };
  for (const wrong of ["", "x", `${token}x`])
    assert.ok(
      [400, 403].includes((await ada.send("POST", "/auth/sign-up", { ...person, token: wrong })).status),
    );
  const created = await ada.send("POST", "/auth/sign-up", { ...person, token, organizationName: "Club" });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { data } = (await ada.send("GET", "/auth/session")).body as { data: CurrentSession };
  assert.partialDeepStrictEqual(data, {
    user: { name: "Ada", email: "ada@example.com", isTwoFactorEnabled: false, isOperator: true },
    organization: { id: server.organizationId, name: "Club" },
    role: "owner",
    organizations: [{ id: server.organizationId, name: "Club", role: "owner" }],
  });
  const agent = await ada.send("POST", "/v1/agents", { name: "Agent" });
  assert.equal(agent.status, 201);
  const { data: made } = agent.body as { data: { id: string } };
  const versions = await ada.send("GET", `/v1/agents/${made.id}/revisions`);
  assert.partialDeepStrictEqual(versions.body, { data: [{ actor: { type: "user", name: "Ada" } }] });
  const again = await browse().send("POST", "/auth/sign-up", { ...person, token, email: "eve@example.com" });
  assert.equal(again.status, 403);
});

test("of concurrent sign-ups with the link one succeeds", async (context) => {
  const { server, browse } = await open(context);
  const tokens = await Promise.all(
    [1, 2, 3, 4].map(async () => await server.modules.ownerSignUp.createToken()),
  );
  const answers = await Promise.all(
    tokens.map(async (token, index) => {
      const person = { name: "Ada", email: `ada${index}@example.com`, password: PASSWORD };
      return (await browse().send("POST", "/auth/sign-up", { ...person, token })).status;
    }),
  );
  assert.deepEqual(
    answers.toSorted((a, b) => a - b),
    [201, 403, 403, 403],
  );
});

test("cookies are HttpOnly and SameSite=Lax, and Secure if the public URL is https", async (context) => {
  const plain = await open(context);
  const secure = await open(context, { publicUrl: "https://voice.example.com" });
  for (const [{ signUp }, expected] of [
    [plain, /^parley\.session_token=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/],
    [secure, /^__Secure-parley\.session_token=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
  ] as const) {
    const { setCookies } = await signUp();
    assert.match(setCookies.find((each) => each.includes("session_token")) ?? "", expected);
  }
});

test("wrong passwords and unknown addresses get the same answer, and both hash a password", async (context) => {
  const { browse, signUp } = await open(context);
  const { email } = await signUp();
  const wrong = await browse().send("POST", "/auth/sign-in", { email, password: "wrong password" });
  const unknown = await browse().send("POST", "/auth/sign-in", {
    email: "eve@x.org",
    password: "wrong password",
  });
  assert.deepEqual([wrong.status, unknown.status], [401, 401]);
  assert.deepEqual(wrong.body, unknown.body);
  assert.equal((await browse().send("POST", "/auth/sign-in", { email, password: PASSWORD })).status, 200);
  for (const password of ["short pw9", "x".repeat(129)])
    assert.equal((await signUpAnswer(browse, password)).status, 400, password);
});

async function signUpAnswer(browse: Awaited<ReturnType<typeof openIdentity>>["browse"], password: string) {
  const person = { name: "A", email: "a@example.com", token: "x", password };
  return await browse().send("POST", "/auth/sign-up", person);
}

test("guesses of a password are limited per account, whatever their address", async (context) => {
  const { browse, signUp } = await open(context);
  const { email } = await signUp();
  const guess = async (address: string) =>
    await browse({ remoteAddress: address }).send("POST", "/auth/sign-in", {
      email,
      password: "wrong guess",
    });
  const answers = await Promise.all(
    Array.from({ length: 14 }, async (_, index) => await guess(`10.1.0.${index}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 401).length, 10);
  const limited = answers.filter(({ status }) => status === 429);
  assert.equal(limited.length, 4);
  assert.ok(Number(limited[0]?.headers["retry-after"]) > 0);
  // Addresses without an account are limited alike.
  const unknown = await Promise.all(
    Array.from({ length: 14 }, async (_, index) =>
      browse({ remoteAddress: `10.2.0.${index}` }).send("POST", "/auth/sign-in", {
        email: "nobody@example.com",
        password: "wrong guess",
      }),
    ),
  );
  assert.equal(unknown.filter(({ status }) => status === 429).length, 4);
});

test("all servers count guesses together, per account and per address", async (context) => {
  const clock = { now: () => new Date("2026-11-22T09:00:00Z") };
  const first = await openIdentity({ clock });
  const { database, connectionString } = first.server;
  const second = await openIdentity({
    clock,
    testDatabase: { database, connectionString, close: async () => {} },
  });
  context.after(async () => {
    await second.close();
    await first.close();
  });
  const { email } = await first.signUp();
  const guess = async (index: number, path: string, body: object, remoteAddress: string) => {
    const { browse } = index % 2 === 0 ? first : second;
    return (await browse({ remoteAddress }).send("POST", path, body)).status;
  };
  const countLimited = async (count: number, send: (index: number) => Promise<number>): Promise<number> => {
    const statuses = await Promise.all(Array.from({ length: count }, async (_, index) => await send(index)));
    return statuses.filter((status) => status === 429).length;
  };
  const password = "wrong guess";
  const ofAccount = async (index: number) =>
    await guess(index, "/auth/sign-in", { email, password }, `10.1.0.${index}`);
  assert.equal(await countLimited(14, ofAccount), 4);
  const ofToken = async (index: number) =>
    await guess(index, "/auth/password-reset", { token: `t${index}`, password: "x".repeat(12) }, "10.2.0.1");
  assert.equal(await countLimited(34, ofToken), 4);
  const ofCode = async (index: number) =>
    await guess(index, "/auth/sign-in/totp", { code: "123456" }, "10.3.0.1");
  assert.equal(await countLimited(34, ofCode), 4);
});

test("behind a trusted proxy guesses count per client, and nobody else names their address", async (context) => {
  const now = new Date();
  const { browse, signUp } = await open(context, {
    trustedProxies: ["10.0.0.0/8"],
    // The limits count in time.
    clock: { now: () => now },
  });
  const { browser, credentials } = await signUp();
  const guess = async (remoteAddress: string, forwardedFor: string, account: number) =>
    (
      await browse({ remoteAddress }).send(
        "POST",
        "/auth/sign-in",
        { email: `${account}@example.com`, password: "wrong guess" },
        { "x-forwarded-for": forwardedFor, "x-forwarded-host": "evil.example" },
      )
    ).status;
  const accounts = Array.from({ length: 34 }, (_, index) => index);
  const countLimited = (statuses: number[]) => statuses.filter((status) => status === 429).length;
  // The proxy appends the address that it sees; what the client sent is on the left.
  const stranger = accounts.map(async (n) => await guess("10.0.0.1", `203.0.113.${n}, 198.51.100.9`, n));
  assert.equal(countLimited(await Promise.all(stranger)), 4);
  assert.equal(await guess("10.0.0.1", "198.51.100.10", 99), 401);
  const direct = accounts.map(async (n) => await guess("198.51.100.11", `203.0.113.${n}`, n));
  assert.equal(countLimited(await Promise.all(direct)), 4);
  await browser.send("POST", "/auth/sign-in", credentials);
  const { body } = await browser.send("GET", "/auth/sessions");
  assert.match(JSON.stringify(body), /"ipAddress":"192\.0\.2\.1"/);
});

test("a write by cookie needs the Origin of this server; reads and keys do not", async (context) => {
  const { server, signUp } = await open(context, { publicUrl: "https://voice.example.com" });
  const ada = await signUp();
  const write = async (headers: Record<string, string>) =>
    await ada.browser.send("POST", "/v1/folders", { name: "F" }, headers);
  const own = { origin: "https://voice.example.com" };
  assert.equal((await write(own)).status, 201);
  assert.equal((await write({ origin: "http://localhost", host: "localhost" })).status, 201);
  for (const origin of [
    "https://evil.example",
    "null",
    "http://voice.example.com",
    "https://voice.example.com.evil.example",
    "https://voice.example.com:444",
    "",
  ]) {
    const refused = await write({ origin });
    assert.deepEqual([refused.status, (refused.body as { error: string }).error], [403, "forbidden"], origin);
  }
  assert.equal(
    (await ada.browser.send("POST", "/v1/folders", { name: "F" }, { origin: undefined })).status,
    403,
  );
  const evil = { origin: "https://evil.example" };
  assert.equal((await ada.browser.send("GET", "/v1/folders", undefined, evil)).status, 200);
  const withKey = await ada.browser.send(
    "POST",
    "/v1/folders",
    { name: "G" },
    { ...evil, "x-api-key": server.apiKey },
  );
  assert.equal(withKey.status, 201);
  // Another page must not sign its visitor in or out, or change the account.
  for (const [method, path, body] of [
    ["POST", "/auth/sign-in", { email: ada.email, password: PASSWORD }],
    ["POST", "/auth/sign-out", {}],
    ["POST", "/auth/password", { currentPassword: PASSWORD, newPassword: "a new password" }],
    ["DELETE", "/auth/sessions", undefined],
  ] as const)
    assert.equal((await ada.browser.send(method, path, body, evil)).status, 403, path);
  assert.equal((await ada.browser.send("GET", "/auth/session")).status, 200);
});

test("sessions are listed, ended one by one, and all at once", async (context) => {
  const { browse, signUp } = await open(context);
  const ada = await signUp();
  const other = browse({ userAgent: "Other/1.0", remoteAddress: "192.0.2.7" });
  await other.send(
    "POST",
    "/auth/sign-in",
    { email: ada.email, password: PASSWORD },
    { "x-forwarded-for": "6.6.6.6" },
  );
  const list = async () => {
    const { body } = await ada.browser.send("GET", "/auth/sessions");
    return (body as { data: { id: string; isCurrent: boolean; userAgent: string; ipAddress: string }[] })
      .data;
  };
  const [first, second] = await list();
  assert.partialDeepStrictEqual(first, { isCurrent: false, userAgent: "Other/1.0", ipAddress: "192.0.2.7" });
  assert.equal(second?.isCurrent, true);
  assert.ok(!JSON.stringify(await list()).includes("token"));
  assert.equal((await ada.browser.send("DELETE", `/auth/sessions/${first?.id}`)).status, 200);
  assert.equal((await other.send("GET", "/v1/agents")).status, 401);
  assert.equal((await ada.browser.send("DELETE", `/auth/sessions/${first?.id}`)).status, 404);
  await other.send("POST", "/auth/sign-in", { email: ada.email, password: PASSWORD });
  assert.deepEqual((await ada.browser.send("DELETE", "/auth/sessions")).body, { data: { deleted: 2 } });
  for (const browser of [ada.browser, other])
    assert.equal((await browser.send("GET", "/auth/session")).status, 401);
});

test("a sign-in begins a new session, and signing out ends it on the server", async (context) => {
  const { browse, signUp } = await open(context);
  const ada = await signUp();
  const before = ada.browser.cookie();
  await ada.browser.send("POST", "/auth/sign-in", { email: ada.email, password: PASSWORD });
  assert.notEqual(ada.browser.cookie(), before);
  const stolen = browse({ cookie: ada.browser.cookie() });
  assert.equal((await stolen.send("GET", "/v1/agents")).status, 200);
  assert.equal((await ada.browser.send("POST", "/auth/sign-out")).status, 200);
  assert.equal(ada.browser.cookie(), "");
  assert.equal((await stolen.send("GET", "/v1/agents")).status, 401);
  const [name = "", value = ""] = before.split("=");
  for (const forged of [`${name}=x`, `${name}=${value}x`, `${name}=${value.split(".")[0]}`, `${name}=`])
    assert.equal((await browse({ cookie: forged }).send("GET", "/v1/agents")).status, 401, forged);
});

test("a changed password ends the other sessions and keeps this one", async (context) => {
  const { browse, signUp } = await open(context);
  const ada = await signUp();
  const other = browse();
  await other.send("POST", "/auth/sign-in", { email: ada.email, password: PASSWORD });
  const change = async (currentPassword: string) =>
    await ada.browser.send("POST", "/auth/password", { currentPassword, newPassword: "another password" });
  assert.equal((await change("a wrong one")).status, 400);
  assert.equal((await other.send("GET", "/v1/agents")).status, 200);
  assert.equal((await change(PASSWORD)).status, 200);
  assert.equal((await ada.browser.send("GET", "/v1/agents")).status, 200);
  assert.equal((await other.send("GET", "/v1/agents")).status, 401);
  const signIn = async (password: string) =>
    (await other.send("POST", "/auth/sign-in", { email: ada.email, password })).status;
  assert.deepEqual([await signIn(PASSWORD), await signIn("another password")], [401, 200]);
});

test("with an authenticator app a sign-in needs a code", async (context) => {
  const { browse, signUp } = await open(context);
  const ada = await signUp();
  const begun = await ada.browser.send("POST", "/auth/totp", { password: PASSWORD });
  const { uri, backupCodes } = (begun.body as { data: { uri: string; backupCodes: string[] } }).data;
  // Not active before a code was confirmed.
  assert.deepEqual((await browse().send("POST", "/auth/sign-in", ada.credentials)).body, {
    data: { isTwoFactorRequired: false },
  });
  assert.equal((await ada.browser.send("POST", "/auth/totp/confirm", { code: "000000" })).status, 401);
  const first = totpOf(uri);
  assert.equal((await ada.browser.send("POST", "/auth/totp/confirm", { code: first })).status, 200);
  assert.partialDeepStrictEqual((await ada.browser.send("GET", "/auth/session")).body, {
    data: { user: { isTwoFactorEnabled: true }, role: "owner" },
  });
  const phone = browse();
  assert.deepEqual((await phone.send("POST", "/auth/sign-in", ada.credentials)).body, {
    data: { isTwoFactorRequired: true },
  });
  assert.equal((await phone.send("GET", "/v1/agents")).status, 401);
  assert.equal((await phone.send("POST", "/auth/sign-in/totp", { code: "000000" })).status, 401);
  // Neither the code that confirmed the app nor that of a sign-in works again.
  assert.equal((await phone.send("POST", "/auth/sign-in/totp", { code: first })).status, 401);
  assert.equal((await phone.send("GET", "/v1/agents")).status, 401);
  const code = totpOf(uri, 1);
  for (const [browser, expected] of [
    [phone, 200],
    [browse(), 401],
  ] as const) {
    await browser.send("POST", "/auth/sign-in", ada.credentials);
    assert.equal((await browser.send("POST", "/auth/sign-in/totp", { code })).status, expected);
    assert.equal((await browser.send("GET", "/v1/agents")).status, expected);
  }
  // A backup code works once.
  for (const expected of [200, 401]) {
    const tablet = browse();
    await tablet.send("POST", "/auth/sign-in", ada.credentials);
    const answer = await tablet.send("POST", "/auth/sign-in/backup-code", { code: backupCodes[0] });
    assert.equal(answer.status, expected);
  }
  // Five wrong codes end the sign-in.
  const guesser = browse();
  await guesser.send("POST", "/auth/sign-in", ada.credentials);
  for (let guess = 0; guess < 6; guess++)
    await guesser.send("POST", "/auth/sign-in/totp", { code: "000000" });
  assert.equal((await guesser.send("POST", "/auth/sign-in/totp", { code: totpOf(uri, 1) })).status, 401);
  assert.equal((await ada.browser.send("POST", "/auth/totp/disable", { password: PASSWORD })).status, 200);
  assert.deepEqual((await browse().send("POST", "/auth/sign-in", ada.credentials)).body, {
    data: { isTwoFactorRequired: false },
  });
});

test("a user switches between their organizations, and reaches no other", async (context) => {
  const { server, signUp, join } = await open(context);
  const ada = await signUp();
  const second = await server.createOrganization();
  const foreign = await server.createOrganization();
  await join(ada.userId, second.organizationId, "viewer");
  const change = async (organizationId: string) =>
    await ada.browser.send("PUT", "/auth/session/organization", { organizationId });
  assert.equal((await change(foreign.organizationId)).status, 404);
  assert.equal((await change("6f6d8b8a-0000-4000-8000-000000000000")).status, 404);
  const own = (await ada.browser.send("GET", "/v1/organization")).body;
  assert.partialDeepStrictEqual(own, { data: { id: server.organizationId } });
  assert.partialDeepStrictEqual((await change(second.organizationId)).body, { data: { role: "viewer" } });
  assert.partialDeepStrictEqual((await ada.browser.send("GET", "/v1/organization")).body, {
    data: { id: second.organizationId },
  });
  assert.equal((await ada.browser.send("POST", "/v1/folders", { name: "F" })).status, 403);
});

test("a changed or reset password ends the links for a forgotten one", async (context) => {
  const { server, browse, signUp } = await open(context);
  const ada = await signUp();
  const createToken = async (): Promise<string> => {
    const { link } = await server.modules.passwordResets.createLink(ada.email);
    return link.split("#token=")[1] ?? "";
  };
  const reset = async (token: string, password: string): Promise<number> =>
    (await browse().send("POST", "/auth/password-reset", { token, password })).status;
  const change = { currentPassword: PASSWORD, newPassword: "another password" };
  const beforeChange = await createToken();
  assert.equal((await ada.browser.send("POST", "/auth/password", change)).status, 200);
  assert.equal(await reset(beforeChange, "password of a thief"), 400);
  const [first, second] = [await createToken(), await createToken()];
  assert.equal(await reset(first, "a third password"), 200);
  assert.equal(await reset(second, "password of a thief"), 400);
});

test("the audit log has who signed in and out", async (context) => {
  const { signUp } = await open(context);
  const { browser, credentials, userId } = await signUp();
  await browser.send("POST", "/auth/sign-out");
  assert.equal((await browser.send("POST", "/auth/sign-in", { ...credentials, password: "x" })).status, 401);
  assert.equal((await browser.send("POST", "/auth/sign-in", credentials)).status, 200);
  const { body } = await browser.send("GET", "/v1/audit-log?sort=asc");
  const { data } = body as { data: AuditLogEntry[] };
  assert.deepEqual(
    data.map(({ action, actor, ipAddress }) => [action, actor.id, ipAddress]),
    ["signUp", "signOut", "signIn"].map((action) => [action, userId, "192.0.2.1"]),
  );
});
