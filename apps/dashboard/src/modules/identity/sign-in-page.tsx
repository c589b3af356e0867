import { Navigate } from "@tanstack/react-router";
import { useSession } from "../../app/session/session.tsx";
import { SignIn } from "../../app/session/sign-in.tsx";
import { LoadingPage } from "../../ui/loading.tsx";

export function SignInPage() {
  const session = useSession();
  if (session.state === "unknown") return <LoadingPage />;
  return session.state === "signed-out" ? <SignIn session={session} /> : <Navigate to="/" replace />;
}
