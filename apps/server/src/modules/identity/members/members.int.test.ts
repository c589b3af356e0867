import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { CreatedInvitation, CurrentSession, Member } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { startTestSmtpServer } from "../../../platform/mail/testing.ts";
import type { TestServerOptions } from "../../testing.ts";
import { insertMember } from "../identity.store.ts";
import { invitations } from "../identity.tables.ts";
import { openIdentity, PASSWORD, type TestBrowser } from "../testing.ts";

async function open(context: TestContext, options?: TestServerOptions) {
  const identity = await openIdentity(options);
  context.after(async () => await identity.close());
  const ada = await identity.signUp();
  const invite = async (email: string, role: string, by: TestBrowser = ada.browser) =>
    await by.send("POST", "/v1/invitations", { email, role });
  const linkOf = async (email: string, role: string, by?: TestBrowser): Promise<string> => {
    const { data } = (await invite(email, role, by)).body as { data: CreatedInvitation };
    return data.link ?? "";
  };
  /** A new person who joins by invitation. */
  const join = async (email: string, role: string, by?: TestBrowser): Promise<TestBrowser> => {
    const browser = identity.browse();
    const token = tokenOf(await linkOf(email, role, by));
    const answer = await browser.send("POST", "/auth/invitation/accept", {
      token,
      name: email.split("@", 1)[0],
      password: PASSWORD,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return browser;
  };
  const members = async (): Promise<Member[]> =>
    ((await ada.browser.send("GET", "/v1/members?sort=asc")).body as { data: Member[] }).data;
  return { ...identity, ada, invite, linkOf, join, members };
}

function tokenOf(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get("token") ?? "";
}

async function sessionOf(browser: TestBrowser): Promise<CurrentSession> {
  return ((await browser.send("GET", "/auth/session")).body as { data: CurrentSession }).data;
}

test("without a mail server the inviter gets the link, which works once and for the invited person only", async (context) => {
  const { browse, linkOf, server } = await open(context, { publicUrl: "https://voice.example.com" });
  const link = await linkOf("Bob@Example.com", "member");
  assert.match(link, /^https:\/\/voice\.example\.com\/accept-invitation#token=[\w.-]+$/);
  const token = tokenOf(link);
  const bob = browse();
  assert.deepEqual((await bob.send("POST", "/auth/invitation", { token })).body, {
    data: {
      organizationName: (await sessionOf(await signedInAda(browse))).organization?.name,
      email: "bob@example.com",
      role: "member",
      hasAccount: false,
    },
  });
  const accept = { token, name: "Bob", password: PASSWORD };
  assert.equal((await bob.send("POST", "/auth/invitation/accept", { token })).status, 400);
  assert.equal((await bob.send("POST", "/auth/invitation/accept", accept)).status, 200);
  assert.partialDeepStrictEqual(await sessionOf(bob), {
    user: { name: "Bob", email: "bob@example.com", isOperator: false },
    role: "member",
    organization: { id: server.organizationId },
  });
  for (const wrong of [token, `${token}x`, token.replace(/\..*/, ".x"), "x"])
    assert.equal(
      (await browse().send("POST", "/auth/invitation/accept", { ...accept, token: wrong })).status,
      404,
    );
});

async function signedInAda(browse: () => TestBrowser): Promise<TestBrowser> {
  const browser = browse();
  await browser.send("POST", "/auth/sign-in", { email: "ada@example.com", password: PASSWORD });
  return browser;
}

test("of concurrent acceptances one succeeds, and expired, replaced and withdrawn invitations do not work", async (context) => {
  const { ada, browse, linkOf, invite, members, server } = await open(context);
  const accept = async (link: string, name = "Bob") =>
    (
      await browse().send("POST", "/auth/invitation/accept", {
        token: tokenOf(link),
        name,
        password: PASSWORD,
      })
    ).status;
  const replaced = await linkOf("bob@example.com", "viewer");
  const link = await linkOf("bob@example.com", "member");
  assert.equal(await accept(replaced), 404);
  const statuses = await Promise.all([accept(link, "Bob"), accept(link, "Eve"), accept(link, "Mallory")]);
  assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
  assert.equal((await members()).length, 2);
  assert.equal((await invite("bob@example.com", "member")).status, 400);
  const expired = await linkOf("carol@example.com", "member");
  await server.database.update(invitations).set({ expiresAt: new Date(Date.now() - 1) });
  assert.equal(await accept(expired), 404);
  const { data } = (await invite("dan@example.com", "member")).body as { data: CreatedInvitation };
  assert.equal((await ada.browser.send("DELETE", `/v1/invitations/${data.id}`)).status, 200);
  assert.equal(await accept(data.link ?? ""), 404);
});

test("a person with an account accepts signed in, as the invited one", async (context) => {
  const { browse, join, server } = await open(context);
  const bob = await join("bob@example.com", "member");
  const eve = await join("eve@example.com", "member");
  const second = await server.createOrganization();
  const by = { organizationId: second.organizationId, role: "owner" as const, actor: { name: "Test" } };
  const { link } = await server.modules.invitations.create(by, { email: "bob@example.com", role: "admin" });
  const token = tokenOf(link ?? "");
  const accept = { token, name: "Eve", password: PASSWORD };
  assert.equal((await browse().send("POST", "/auth/invitation/accept", accept)).status, 401);
  assert.equal((await eve.send("POST", "/auth/invitation/accept", { token })).status, 403);
  assert.equal((await bob.send("POST", "/auth/invitation/accept", { token })).status, 200);
  const { organizations, organization, role } = await sessionOf(bob);
  assert.deepEqual([organizations.length, organization?.id, role], [2, second.organizationId, "admin"]);
});

test("invitations and reset links are mailed", async (context) => {
  const smtp = await startTestSmtpServer();
  context.after(async () => await smtp.close());
  const { ada, browse, invite } = await open(context, {
    mail: { smtpUrl: smtp.url, from: "Parley <parley@example.com>" },
    publicUrl: "https://voice.example.com",
  });
  const { data } = (await invite("bob@example.com", "member")).body as { data: CreatedInvitation };
  assert.equal(data.link, null);
  assert.partialDeepStrictEqual(smtp.mails, [{ from: "parley@example.com", to: ["bob@example.com"] }]);
  const [link = ""] = /https:\/\/\S+/.exec(smtp.mails[0]?.content ?? "") ?? [];
  assert.equal((await browse().send("POST", "/auth/invitation", { token: tokenOf(link) })).status, 200);
  // A refused mail leaves the inviter with the link.
  smtp.refuseWith("550 no such user");
  const refused = (await invite("nobody@example.com", "member")).body as { data: CreatedInvitation };
  assert.notEqual(refused.data.link, null);
  smtp.refuseWith(undefined);
  const known = await browse().send("POST", "/auth/password-reset/request", { email: "ADA@example.com" });
  const unknown = await browse().send("POST", "/auth/password-reset/request", { email: "x@example.com" });
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
  await waitFor("the mail with the link", () => smtp.mails.length === 2);
  const [reset = ""] =
    /https:\/\/voice\.example\.com\/reset-password\S+/.exec(smtp.mails[1]?.content ?? "") ?? [];
  await assertResets(tokenOf(reset), ada.browser, browse);
  assert.equal(smtp.mails.length, 2);
});

/** The link sets a new password once, and ends all sessions. */
async function assertResets(token: string, signedIn: TestBrowser, browse: () => TestBrowser): Promise<void> {
  const body = { token, password: "a brand new password" };
  const statuses = await Promise.all(
    [1, 2, 3].map(async () => (await browse().send("POST", "/auth/password-reset", body)).status),
  );
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 400, 400],
  );
  assert.equal((await signedIn.send("GET", "/auth/session")).status, 401);
  const email = "ada@example.com";
  const signIn = async (password: string) =>
    (await browse().send("POST", "/auth/sign-in", { email, password })).status;
  assert.deepEqual([await signIn(PASSWORD), await signIn(body.password)], [401, 200]);
}

test("without a mail server only the operator creates reset links", async (context) => {
  const { ada, browse, server } = await open(context, { operatorApiKey: "operator_key_of_this_test" });
  const request = await browse().send("POST", "/auth/password-reset/request", { email: ada.email });
  assert.partialDeepStrictEqual(request, { status: 409, body: { error: "mail_not_configured" } });
  const operate = async (email: string, headers: Record<string, string> = {}) =>
    await browse().send("POST", "/operator/v1/users/password-resets", { email }, headers);
  const key = { "x-api-key": "operator_key_of_this_test" };
  assert.equal((await operate(ada.email)).status, 401);
  assert.equal((await operate("x@example.com", key)).status, 404);
  const answer = await operate("Ada@example.com", key);
  assert.equal(answer.status, 201);
  const token = tokenOf((answer.body as { data: { link: string } }).data.link);
  const stored = await server.database.$client.query("select * from verifications");
  assert.ok(!JSON.stringify(stored.rows).includes(token));
  await assertResets(token, ada.browser, browse);
});

test("the last owner stays, also if two owners remove each other at once", async (context) => {
  const { ada, join, members } = await open(context);
  const [owner] = await members();
  assert.equal((await ada.browser.send("DELETE", `/v1/members/${owner?.id}`)).status, 409);
  const demoted = await ada.browser.send("PATCH", `/v1/members/${owner?.id}`, { role: "admin" });
  assert.partialDeepStrictEqual(demoted, { status: 409, body: { error: "last_owner" } });
  const bob = await join("bob@example.com", "owner");
  const [first, second] = await members();
  const statuses = await Promise.all([
    ada.browser.send("DELETE", `/v1/members/${second?.id}`),
    bob.send("DELETE", `/v1/members/${first?.id}`),
    ada.browser.send("PATCH", `/v1/members/${second?.id}`, { role: "viewer" }),
    bob.send("PATCH", `/v1/members/${first?.id}`, { role: "viewer" }),
  ]);
  assert.ok(statuses.some(({ status }) => status === 200));
  const survivor = (await sessionOf(ada.browser)).role === "owner" ? ada.browser : bob;
  const { body } = await survivor.send("GET", "/v1/members");
  const owners = (body as { data: Member[] }).data.filter(({ role }) => role === "owner");
  assert.equal(owners.length, 1);
});

test("an admin manages members but no owners, and a removed member is out at once", async (context) => {
  const { server, ada, join, invite, members } = await open(context);
  const admin = await join("adm@example.com", "admin");
  const bob = await join("bob@example.com", "member", admin);
  assert.equal((await invite("o@example.com", "owner", admin)).status, 403);
  const list = await members();
  const idOf = (email: string): string => list.find((member) => member.email === email)?.id ?? "";
  const change = async (by: TestBrowser, email: string, role: string) =>
    (await by.send("PATCH", `/v1/members/${idOf(email)}`, { role })).status;
  assert.equal(await change(admin, "ada@example.com", "viewer"), 403);
  assert.equal(await change(admin, "bob@example.com", "owner"), 403);
  assert.equal((await admin.send("DELETE", `/v1/members/${idOf("ada@example.com")}`)).status, 403);
  assert.equal(await change(bob, "bob@example.com", "admin"), 403);
  assert.equal(await change(admin, "bob@example.com", "viewer"), 200);
  assert.equal((await bob.send("POST", "/v1/folders", { name: "F" })).status, 403);
  const key = await server.request("DELETE", `/members/${idOf("ada@example.com")}`);
  assert.equal(key.status, 403);
  assert.equal((await admin.send("DELETE", `/v1/members/${idOf("bob@example.com")}`)).status, 200);
  assert.equal((await bob.send("GET", "/v1/agents")).status, 403);
  assert.partialDeepStrictEqual(await sessionOf(bob), { organization: null, role: null, organizations: [] });
  const { organizationId } = await server.createOrganization();
  assert.equal((await ada.browser.send("DELETE", `/v1/members/${organizationId}`)).status, 404);
});

test("a member leaves by themselves, the last owner does not", async (context) => {
  const { server, ada, join, members } = await open(context);
  const bob = await join("bob@example.com", "viewer");
  const path = "/auth/session/organization";
  const refused = await ada.browser.send("DELETE", path);
  assert.deepEqual([refused.status, (refused.body as { error: string }).error], [409, "last_owner"]);
  assert.equal((await bob.send("GET", "/v1/organization")).status, 200);
  const left = await bob.send("DELETE", path);
  assert.equal(left.status, 200, JSON.stringify(left.body));
  assert.partialDeepStrictEqual(left.body, { data: { organization: null, role: null, organizations: [] } });
  assert.equal((await bob.send("GET", "/v1/organization")).status, 403);
  assert.equal((await bob.send("DELETE", path)).status, 404);
  assert.equal((await members()).length, 1);
  const log = await server.request("GET", "/audit-log?action=leaveOrganization");
  assert.equal((log.body as { total: number }).total, 1);
  // The session goes on in another organization of the user.
  const carol = await join("carol@example.com", "member");
  const { organizationId } = await server.createOrganization();
  const { user } = await sessionOf(carol);
  await insertMember(server.database, { organizationId, userId: user.id, role: "viewer" });
  assert.partialDeepStrictEqual((await carol.send("DELETE", path)).body, {
    data: { organization: { id: organizationId }, role: "viewer" },
  });
  assert.partialDeepStrictEqual((await carol.send("GET", "/v1/organization")).body, {
    data: { id: organizationId },
  });
  // Of two owners who leave at once one stays.
  const eve = await join("eve@example.com", "owner");
  const both = [ada.browser, eve].map(async (browser) => (await browser.send("DELETE", path)).status);
  assert.deepEqual(
    (await Promise.all(both)).toSorted((a, b) => a - b),
    [200, 409],
  );
});

test("the audit log shows what people and keys did, to admins", async (context) => {
  const { server, ada, join } = await open(context);
  const bob = await join("bob@example.com", "member");
  const { body } = await bob.send("POST", "/v1/folders", { name: "F" });
  const { id } = (body as { data: { id: string } }).data;
  await server.request("PATCH", `/folders/${id}`, { name: "G" });
  await server.request("POST", "/folders", { name: "H" }, undefined, { "idempotency-key": "once" });
  await server.request("POST", "/folders", { name: "H" }, undefined, { "idempotency-key": "once" });
  assert.equal((await bob.send("POST", "/v1/folders", { name: "" })).status, 400);
  assert.equal((await bob.send("DELETE", "/v1/members/x")).status, 403);
  await ada.browser.send("PATCH", "/auth/user", { name: "Ada Lovelace" });
  assert.equal((await bob.send("GET", "/v1/audit-log")).status, 403);
  const read = async (query: string) => {
    const answer = await ada.browser.send("GET", `/v1/audit-log?sort=asc${query}`);
    return (answer.body as { data: { action: string; targetId: string; actor: object; ipAddress: string }[] })
      .data;
  };
  const all = await read("");
  assert.deepEqual(
    all.map(({ action }) => action),
    [
      "signUp",
      "createInvitation",
      "acceptInvitation",
      "createFolder",
      "updateFolder",
      "createFolder",
      "updateUser",
    ],
  );
  assert.partialDeepStrictEqual(all[3], {
    targetId: id,
    ipAddress: "192.0.2.1",
    actor: { type: "user", name: "bob" },
  });
  assert.partialDeepStrictEqual(all[4], { targetId: id, actor: { type: "api_key", name: "test" } });
  assert.equal((await read("&action=updateFolder")).length, 1);
  assert.equal((await read(`&targetId=${id}`)).length, 2);
  assert.equal((await read("&createdAfter=2100-01-01T00:00:00Z")).length, 0);
  const foreign = await server.createOrganization();
  assert.partialDeepStrictEqual((await server.request("GET", "/audit-log", undefined, foreign.apiKey)).body, {
    data: [],
  });
  await server.modules.auditLog.deleteOlderThan(-1);
  assert.deepEqual(await read(""), []);
});

test("an operator uses the operator's API by session, others do not", async (context) => {
  const { server, ada, join, browse } = await open(context, { operatorApiKey: "operator_key_of_this_test" });
  const bob = await join("bob@example.com", "owner");
  const url = "/operator/v1/organizations";
  assert.equal((await browse().send("GET", url)).status, 401);
  assert.equal((await bob.send("GET", url)).status, 403);
  assert.equal((await ada.browser.send("GET", url)).status, 200);
  const evil = { origin: "https://evil.example" };
  assert.equal((await ada.browser.send("POST", url, { name: "X" }, evil)).status, 403);
  assert.equal((await ada.browser.send("POST", url, { name: "X" })).status, 201);
  const headers = { "x-api-key": "operator_key_of_this_test" };
  const body = { email: "bob@example.com", isOperator: true };
  assert.equal((await browse().send("PUT", "/operator/v1/users/operators", body, headers)).status, 200);
  assert.equal((await bob.send("GET", url)).status, 200);
  const { organizationId } = await server.createOrganization();
  const invited = await bob.send("POST", `${url}/${organizationId}/invitations`, {
    email: "carol@example.com",
    role: "owner",
  });
  assert.equal(invited.status, 201, JSON.stringify(invited.body));
});
