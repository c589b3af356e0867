import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

const USER_NAME = "postgres";
const COMMAND_DEADLINE_MS = 10_000;

export interface PostgresUser {
  uid: number;
  gid: number;
}

/**
 * System user for the database: PostgreSQL refuses to run as root, so root uses a system user, which is created if it
 * does not exist. `undefined` if this process is not root: the database then runs as the same user.
 */
export async function findPostgresUser(): Promise<PostgresUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = await lookUp();
  if (found !== undefined) return found;
  try {
    await run(
      "useradd",
      ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", USER_NAME],
      {
        timeout: COMMAND_DEADLINE_MS,
      },
    );
  } catch (cause) {
    // Options of Alpine's tools.
    await run("adduser", ["-S", "-D", "-H", USER_NAME], { timeout: COMMAND_DEADLINE_MS }).catch(() => {
      throw new Error(
        `PostgreSQL does not run as root, and the user "${USER_NAME}" could not be created: ` +
          "create it, run Parley as another user, or set DATABASE_URL",
        { cause },
      );
    });
  }
  const created = await lookUp();
  if (created === undefined) throw new Error(`the user "${USER_NAME}" was created but cannot be found`);
  return created;
}

async function lookUp(): Promise<PostgresUser | undefined> {
  try {
    const uid = await run("id", ["-u", USER_NAME], { timeout: COMMAND_DEADLINE_MS });
    const gid = await run("id", ["-g", USER_NAME], { timeout: COMMAND_DEADLINE_MS });
    return { uid: Number.parseInt(uid.stdout, 10), gid: Number.parseInt(gid.stdout, 10) };
  } catch {
    return undefined;
  }
}
