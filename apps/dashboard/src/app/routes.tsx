import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import { SignInRequired } from "./session/sign-in-required.tsx";
import { Shell } from "./shell.tsx";

const rootRoute = createRootRoute({ component: Outlet });

/** Parent of pages inside the frame of navigation and header, which are open to everybody. */
export const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: "shell", component: Shell });

/** Parent of pages for which somebody must be signed in: nearly all. */
export const signedInRoute = createRoute({
  getParentRoute: () => shellRoute,
  id: "in",
  component: SignInRequired,
});

export { rootRoute };
