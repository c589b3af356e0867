import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute, signedInRoute } from "../../app/routes.tsx";

const signInRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/sign-in",
  component: lazyRouteComponent(async () => await import("./sign-in-page.tsx"), "SignInPage"),
});

const signUpRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/sign-up",
  component: lazyRouteComponent(async () => await import("./sign-up-page.tsx"), "SignUpPage"),
});

const invitationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/accept-invitation",
  component: lazyRouteComponent(async () => await import("./invitation-page.tsx"), "InvitationPage"),
});

const passwordResetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/reset-password",
  component: lazyRouteComponent(async () => await import("./password-reset-page.tsx"), "PasswordResetPage"),
});

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/account",
  component: lazyRouteComponent(async () => await import("./account-page.tsx"), "AccountPage"),
});

/** Pages that are open to everybody. */
export const openIdentityRoutes = [signInRoute, signUpRoute, invitationRoute, passwordResetRoute] as const;

export const accountRoutes = [accountRoute] as const;
