import {
  acceptInvitationRoute,
  changePasswordRoute,
  confirmTotpRoute,
  createTotpRoute,
  disableTotpRoute,
  endAllSessionsRoute,
  endSessionRoute,
  getAuthSettingsRoute,
  getSessionRoute,
  leaveOrganizationRoute,
  listSessionsRoute,
  readInvitationRoute,
  replaceBackupCodesRoute,
  requestPasswordResetRoute,
  resetPasswordRoute,
  signInRoute,
  signInWithBackupCodeRoute,
  signInWithTotpRoute,
  signOutRoute,
  signUpRoute,
  switchOrganizationRoute,
  updateUserRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { readAnswer } from "./auth-client.ts";
import type { AuthLibrary } from "./auth-library.ts";
import type { AuthLimits } from "./auth-limits.ts";
import { AuthRoutes } from "./bind-auth-route.ts";
import type { InvitationsService } from "./members/invitations.service.ts";
import type { MembersService } from "./members/members.service.ts";
import type { PasswordResetsService } from "./password-resets.service.ts";
import type { OwnerSignUpService } from "./owner-sign-up.service.ts";
import type { SessionsService } from "./sessions.service.ts";

export interface AuthRouteDependencies {
  passwordResets: PasswordResetsService;
  invitations: InvitationsService;
  members: MembersService;
  library: () => Promise<AuthLibrary>;
  sessions: SessionsService;
  ownerSignUp: OwnerSignUpService;
  limits: AuthLimits;
}

/** Binds the routes under `/auth`. */
export function bindAuthRoutes(app: FastifyInstance, dependencies: AuthRouteDependencies): void {
  const routes = new AuthRoutes(app, dependencies.sessions);
  const { limits } = dependencies;
  bindSignIn(routes, limits, dependencies);
  bindSessions(routes, dependencies);
  bindAccount(routes, limits, dependencies);
  bindPasswordReset(routes, limits, dependencies);
  bindInvitations(routes, limits, dependencies);
}

function bindSignIn(
  routes: AuthRoutes,
  limits: AuthLimits,
  { library, sessions, ownerSignUp, passwordResets }: AuthRouteDependencies,
): void {
  const signIn = signInWith(library);
  routes.bindPublic(getAuthSettingsRoute, async ({ headers }) => ({
    data: {
      hasOwner: await ownerSignUp.hasOwner(),
      isSignedIn: (await sessions.find(headers.get("cookie") ?? undefined)) !== undefined,
      canSendMail: passwordResets.canSendMail,
    },
  }));
  routes.bindPublic(signUpRoute, async ({ body, headers, address, setCookies }) => {
    await limits.attempt(address, undefined, async () => await ownerSignUp.signUp(body));
    const { email, password } = body;
    setCookies((await signIn({ email, password }, headers)).cookies);
    return { data: { isTwoFactorRequired: false } };
  });
  routes.bindPublic(signInRoute, async ({ body, headers, address, setCookies }) => {
    const answer = await limits.attempt(address, body.email, async () => await signIn(body, headers));
    setCookies(answer.cookies);
    return { data: { isTwoFactorRequired: answer.body["twoFactorRedirect"] === true } };
  });
  routes.bindPublic(signInWithTotpRoute, async ({ body, headers, address, setCookies }) => {
    const { code, isDeviceTrusted: trustDevice = false } = body;
    const { cookies } = await limits.attempt(address, undefined, async () => {
      const { api } = await library();
      const answer = await readAnswer(
        await api.verifyTOTP({ body: { code, trustDevice }, headers, asResponse: true }),
      );
      await sessions.requireUnusedCode(answer.cookies, code);
      return answer;
    });
    setCookies(cookies);
    return { data: { isTwoFactorRequired: false } };
  });
  routes.bindPublic(signInWithBackupCodeRoute, async ({ body, headers, address, setCookies }) => {
    const { code, isDeviceTrusted: trustDevice = false } = body;
    const { cookies } = await limits.attempt(address, undefined, async () => {
      const { api } = await library();
      return await readAnswer(
        await api.verifyBackupCode({ body: { code, trustDevice }, headers, asResponse: true }),
      );
    });
    setCookies(cookies);
    return { data: { isTwoFactorRequired: false } };
  });
  routes.bindPublic(signOutRoute, async ({ headers, address, setCookies }) => {
    const { api } = await library();
    const signedIn = await sessions.find(headers.get("cookie") ?? undefined);
    setCookies((await readAnswer(await api.signOut({ headers, asResponse: true }))).cookies);
    if (signedIn !== undefined) await routes.record(signedIn, signOutRoute.operationId, { ip: address });
    return { data: { isSignedOut: true as const } };
  });
}

function bindSessions(routes: AuthRoutes, { library, sessions, members }: AuthRouteDependencies): void {
  routes.bind(getSessionRoute, async ({ signedIn, headers, setCookies }) => {
    // Extends the session if it is older than a day.
    const { api } = await library();
    setCookies((await readAnswer(await api.getSession({ headers, asResponse: true }))).cookies);
    return { data: await sessions.describe(signedIn) };
  });
  routes.bind(switchOrganizationRoute, async ({ signedIn, body }) => ({
    data: await sessions.switchOrganization(signedIn, body.organizationId),
  }));
  routes.bind(leaveOrganizationRoute, async ({ signedIn }) => ({
    data: await sessions.describe(await members.leave(signedIn)),
  }));
  routes.bind(listSessionsRoute, async ({ signedIn }) => ({ data: await sessions.list(signedIn) }));
  routes.bind(endSessionRoute, async ({ signedIn, params }) => {
    await sessions.end(signedIn, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
  routes.bind(endAllSessionsRoute, async ({ signedIn }) => ({
    data: { deleted: await sessions.endAll(signedIn) },
  }));
}

function bindAccount(
  routes: AuthRoutes,
  limits: AuthLimits,
  { library, sessions }: AuthRouteDependencies,
): void {
  routes.bind(updateUserRoute, async ({ signedIn, body }) => ({
    data: await sessions.rename(signedIn, body.name),
  }));
  routes.bind(changePasswordRoute, async ({ signedIn, body, headers, address }) => {
    await limits.attempt(address, signedIn.user.email, async () => {
      const { api } = await library();
      await readAnswer(await api.changePassword({ body, headers, asResponse: true }));
    });
    await sessions.endOthers(signedIn);
    return { data: { isChanged: true as const } };
  });
  routes.bind(createTotpRoute, async ({ signedIn, body, headers, address }) => {
    const answer = await limits.attempt(address, signedIn.user.email, async () => {
      const { api } = await library();
      return await readAnswer(
        await api.enableTwoFactor({ body: { ...body, method: "totp" }, headers, asResponse: true }),
      );
    });
    return { data: { uri: String(answer.body["totpURI"]), backupCodes: backupCodesOf(answer.body) } };
  });
  routes.bind(confirmTotpRoute, async ({ signedIn, body, headers, address, setCookies }) => {
    const { cookies } = await limits.attempt(address, signedIn.user.email, async () => {
      const { api } = await library();
      return await readAnswer(await api.verifyTOTP({ body, headers, asResponse: true }));
    });
    await sessions.markCodeUsed(signedIn, body.code);
    setCookies(cookies);
    return { data: { isTwoFactorEnabled: true } };
  });
  routes.bind(disableTotpRoute, async ({ signedIn, body, headers, address, setCookies }) => {
    const { cookies } = await limits.attempt(address, signedIn.user.email, async () => {
      const { api } = await library();
      return await readAnswer(await api.disableTwoFactor({ body, headers, asResponse: true }));
    });
    setCookies(cookies);
    return { data: { isTwoFactorEnabled: false } };
  });
  routes.bind(replaceBackupCodesRoute, async ({ signedIn, body, headers, address }) => {
    const answer = await limits.attempt(address, signedIn.user.email, async () => {
      const { api } = await library();
      return await readAnswer(await api.generateBackupCodes({ body, headers, asResponse: true }));
    });
    return { data: { backupCodes: backupCodesOf(answer.body) } };
  });
}

function bindPasswordReset(
  routes: AuthRoutes,
  limits: AuthLimits,
  { library, passwordResets }: AuthRouteDependencies,
): void {
  routes.bindPublic(requestPasswordResetRoute, async ({ body, address }) => {
    await limits.countMail(address, body.email);
    passwordResets.request(body.email);
    return { data: { isAccepted: true as const } };
  });
  routes.bindPublic(resetPasswordRoute, async ({ body, headers, address }) => {
    const { token, password: newPassword } = body;
    await limits.attempt(address, undefined, async () => {
      const { api } = await library();
      await readAnswer(await api.resetPassword({ body: { token, newPassword }, headers, asResponse: true }));
    });
    return { data: { isReset: true as const } };
  });
}

function bindInvitations(
  routes: AuthRoutes,
  limits: AuthLimits,
  { library, sessions, invitations }: AuthRouteDependencies,
): void {
  const signIn = signInWith(library);
  routes.bindPublic(readInvitationRoute, async ({ body, address }) => ({
    data: await limits.attempt(address, undefined, async () => await invitations.read(body.token)),
  }));
  routes.bindPublic(acceptInvitationRoute, async ({ body, headers, address, setCookies }) => {
    const { token, name, password } = body;
    const signedIn = await sessions.find(headers.get("cookie") ?? undefined);
    if (signedIn !== undefined) {
      const activeOrganizationId = await limits.attempt(
        address,
        undefined,
        async () => await invitations.acceptAs(signedIn, token),
      );
      const member = { ...signedIn, activeOrganizationId };
      await routes.record(member, acceptInvitationRoute.operationId, { ip: address });
      return { data: { isTwoFactorRequired: false } };
    }
    const person = { ...(name !== undefined && { name }), ...(password !== undefined && { password }) };
    const email = await limits.attempt(
      address,
      undefined,
      async () => await invitations.acceptAsNew(token, person),
    );
    setCookies((await signIn({ email, password: password ?? "" }, headers)).cookies);
    return { data: { isTwoFactorRequired: false } };
  });
}

function signInWith(library: () => Promise<AuthLibrary>) {
  return async (body: { email: string; password: string; rememberMe?: boolean }, headers: Headers) =>
    await readAnswer(await (await library()).api.signInEmail({ body, headers, asResponse: true }));
}

function backupCodesOf({ backupCodes }: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(backupCodes) ? backupCodes.map(String) : [];
}
