import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { AuthLibrary } from "./auth-library.ts";
import { bindAuthRoutes } from "./auth.routes.ts";
import { deleteExpiredIdentitiesJob } from "./identity.jobs.ts";
import { OwnerSignUpService } from "./owner-sign-up.service.ts";
import { SessionsService } from "./sessions.service.ts";

export function createIdentity(
  { database, encryption, clock, origin }: NodeResources,
  { organizations }: { organizations: OrganizationsService },
) {
  let opened: Promise<AuthLibrary> | undefined;
  // Loaded with the first request that needs it: it is large, and the origin is known once the node listens.
  const library = async (): Promise<AuthLibrary> => {
    opened ??= import("./auth-library.ts").then(({ createAuthLibrary }) =>
      createAuthLibrary({ database, encryption, origin: origin(), sendPasswordReset: async () => {} }),
    );
    return await opened;
  };
  const sessions = new SessionsService({ database, clock, organizations, library });
  const ownerSignUp = new OwnerSignUpService(database, organizations, library);
  return {
    services: { sessions, ownerSignUp },
    bindRoutes: (app) => bindAuthRoutes(app, { library, sessions, ownerSignUp }),
    startJobs: async (jobs) => await jobs.work(deleteExpiredIdentitiesJob(database, clock)),
  } satisfies Feature;
}
