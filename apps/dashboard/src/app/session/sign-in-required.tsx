import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { LoadingPage } from "../../ui/loading.tsx";
import { NoOrganization } from "./no-organization.tsx";
import { useSession } from "./session.tsx";

/** Loaded only by those who are not signed in. */
const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignIn }));

/** The page, once somebody is signed in. */
export function SignInRequired() {
  const session = useSession();
  if (session.state === "unknown") return <LoadingPage />;
  if (session.state === "signed-out")
    return (
      <Suspense fallback={<LoadingPage />}>
        <SignIn session={session} />
      </Suspense>
    );
  if (session.identity !== undefined && session.identity.organization === null)
    return <NoOrganization identity={session.identity} />;
  return <Outlet />;
}
