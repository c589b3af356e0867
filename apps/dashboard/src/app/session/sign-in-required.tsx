import { Outlet } from "@tanstack/react-router";
import { LoadingPage } from "../../ui/loading.tsx";
import { NoOrganization } from "./no-organization.tsx";
import { useSession } from "./session.tsx";
import { SignIn } from "./sign-in.tsx";

/** The page, once somebody is signed in. */
export function SignInRequired() {
  const session = useSession();
  if (session.state === "unknown") return <LoadingPage />;
  if (session.state === "signed-out") return <SignIn session={session} />;
  if (session.identity !== undefined && session.identity.organization === null)
    return <NoOrganization identity={session.identity} />;
  return <Outlet />;
}
