import { defineConfig } from "drizzle-kit";

/** For `drizzle-kit generate`, which writes the next migration from what changed in the tables. */
export default defineConfig({ dialect: "postgresql", schema: "./src/**/*.tables.ts", out: "./migrations" });
