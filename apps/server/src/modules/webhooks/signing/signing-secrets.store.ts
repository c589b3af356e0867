import { eq, sql } from "drizzle-orm";
import type { Queries } from "../../../platform/database/database.ts";
import { webhookSigningSecrets } from "../webhooks.tables.ts";

export type SigningSecretRow = typeof webhookSigningSecrets.$inferSelect;

const ofOrganization = (organizationId: string) => eq(webhookSigningSecrets.organizationId, organizationId);

export async function findSecret(
  queries: Queries,
  organizationId: string,
): Promise<SigningSecretRow | undefined> {
  const [row] = await queries.select().from(webhookSigningSecrets).where(ofOrganization(organizationId));
  return row;
}

/**
 * Runs as one statement, so that the second of two concurrent rotations gets the first one's secret as its previous
 * secret.
 */
export async function rotateSecret(
  queries: Queries,
  {
    previousUntil,
    ...secret
  }: { organizationId: string; secret: string; last4: string; previousUntil: Date },
): Promise<void> {
  await queries
    .insert(webhookSigningSecrets)
    .values(secret)
    .onConflictDoUpdate({
      target: webhookSigningSecrets.organizationId,
      set: { ...secret, previousSecret: sql`${webhookSigningSecrets.secret}`, previousUntil },
    });
}

export async function deleteSecret(
  queries: Queries,
  organizationId: string,
): Promise<SigningSecretRow | undefined> {
  const where = ofOrganization(organizationId);
  const [row] = await queries.delete(webhookSigningSecrets).where(where).returning();
  return row;
}
