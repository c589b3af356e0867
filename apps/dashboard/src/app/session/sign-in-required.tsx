import { Outlet } from "@tanstack/react-router";
import { KeyForm } from "./key-form.tsx";
import { useSession } from "./session.tsx";

/** The page, once somebody is signed in. */
export function SignInRequired() {
  const session = useSession();
  return session.state === "signed-in" ? <Outlet /> : <KeyForm session={session} />;
}
