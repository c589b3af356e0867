/** Columns that most tables share. */
import { timestamp, uuid } from "drizzle-orm/pg-core";

/** Millisecond precision, as in JavaScript dates, so that values read equal values written. */
export function instant(name: string) {
  return timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
}

export const primaryId = () => uuid("id").primaryKey().defaultRandom();
export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();
