ALTER TABLE "attempt_limits" SET UNLOGGED;
