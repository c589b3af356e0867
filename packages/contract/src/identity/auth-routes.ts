import type { RouteDefinition } from "../route.ts";
import {
  acceptInvitationRoute,
  readInvitationRoute,
  requestPasswordResetRoute,
  resetPasswordRoute,
} from "./account-links.ts";
import {
  changePasswordRoute,
  endAllSessionsRoute,
  endSessionRoute,
  getAuthSettingsRoute,
  getSessionRoute,
  leaveOrganizationRoute,
  listSessionsRoute,
  signInRoute,
  signOutRoute,
  signUpRoute,
  switchOrganizationRoute,
  updateUserRoute,
} from "./sessions.ts";
import {
  confirmTotpRoute,
  createTotpRoute,
  disableTotpRoute,
  replaceBackupCodesRoute,
  signInWithBackupCodeRoute,
  signInWithTotpRoute,
} from "./two-factor.ts";

/** Operations under `/auth`, with the session cookie or no credential. */
export const authRoutes: readonly RouteDefinition[] = [
  getAuthSettingsRoute,
  signUpRoute,
  signInRoute,
  signInWithTotpRoute,
  signInWithBackupCodeRoute,
  signOutRoute,
  getSessionRoute,
  switchOrganizationRoute,
  leaveOrganizationRoute,
  listSessionsRoute,
  endSessionRoute,
  endAllSessionsRoute,
  updateUserRoute,
  changePasswordRoute,
  createTotpRoute,
  confirmTotpRoute,
  disableTotpRoute,
  replaceBackupCodesRoute,
  requestPasswordResetRoute,
  resetPasswordRoute,
  readInvitationRoute,
  acceptInvitationRoute,
];
