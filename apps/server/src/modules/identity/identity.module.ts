import { Mailer } from "../../platform/mail/mailer.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { AuthLibrary } from "./auth-library.ts";
import { AuthLimits } from "./auth-limits.ts";
import { bindAuthRoutes } from "./auth.routes.ts";
import { deleteExpiredIdentitiesJob } from "./identity.jobs.ts";
import { InvitationsService } from "./members/invitations.service.ts";
import { bindMemberRoutes } from "./members/members.routes.ts";
import { MembersService } from "./members/members.service.ts";
import { OwnerSignUpService } from "./owner-sign-up.service.ts";
import { PasswordResetsService } from "./password-resets.service.ts";
import { SessionsService } from "./sessions.service.ts";
import { encryptedTwoFactors } from "./two-factor-encryption.ts";
import { UsersService } from "./users.service.ts";

export function createIdentity(
  { config, database, encryption, clock, logger, origin }: NodeResources,
  { organizations }: { organizations: OrganizationsService },
) {
  let opened: Promise<AuthLibrary> | undefined;
  // Loaded with the first request that needs it: it is large, and the origin is known once the node listens.
  const library = async (): Promise<AuthLibrary> => {
    opened ??= import("./auth-library.ts").then(({ createAuthLibrary }) =>
      createAuthLibrary({
        database,
        encryption,
        origin: origin(),
        sendPasswordReset: async (email, token) => await passwordResets.send(email, token),
      }),
    );
    return await opened;
  };
  const mailer = new Mailer(config.mail);
  const shared = { database, clock, encryption, logger, mailer, organizations, library, origin };
  const sessions = new SessionsService(shared);
  const ownerSignUp = new OwnerSignUpService(database, organizations, library);
  const passwordResets = new PasswordResetsService(shared);
  const invitations = new InvitationsService(shared);
  const members = new MembersService(database);
  return {
    services: {
      sessions,
      ownerSignUp,
      passwordResets,
      invitations,
      members,
      users: new UsersService(database),
    },
    encryptedColumns: encryptedTwoFactors,
    bindRoutes: (app) => {
      const limits = new AuthLimits(database, clock);
      bindAuthRoutes(app, { library, sessions, ownerSignUp, passwordResets, invitations, members, limits });
      bindMemberRoutes(app, members, invitations);
    },
    startJobs: async (jobs) => await jobs.work(deleteExpiredIdentitiesJob(database, clock, invitations)),
    close: async () => await passwordResets.close(),
  } satisfies Feature;
}
