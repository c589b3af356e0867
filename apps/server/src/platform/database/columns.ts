/** Columns that most tables share. */
import { timestamp, uuid } from "drizzle-orm/pg-core";

/** To the millisecond, which is what a JavaScript date holds: what is read compares equal to what was written. */
export function instant(name: string) {
  return timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
}

export const primaryId = () => uuid("id").primaryKey().defaultRandom();
export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();
