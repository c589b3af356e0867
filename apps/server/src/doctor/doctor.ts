/**
 * `npm run doctor [-- --json]`: examines this machine and the configuration, and reports for each check what was found and
 * what to do. Exits with 1 if a call could not work.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type TlsClientOptions, UserAgent } from "@parley/sip";
import { OrganizationLimitsService } from "../modules/organizations/organization-limits.ts";
import { SipTrunksService } from "../modules/sip-trunks/sip-trunks.service.ts";
import { addOllama } from "../model-providers/find-ollama.ts";
import { systemClock } from "../platform/clock.ts";
import type { Config } from "../platform/config/config.ts";
import { type Database, openDatabase } from "../platform/database/database.ts";
import { Encryption, parseEncryptionKey } from "../platform/encryption/encryption.ts";
import { examineConfiguration } from "./checks/configuration.ts";
import { type DatabaseAccess, openDatabaseAccess } from "./checks/database.ts";
import { nodeCheck } from "./checks/machine.ts";
import { checksOf, type Examination, MAX_CHECKED_TRUNKS } from "./examine.ts";
import { type CheckResult, runChecks } from "./finding.ts";

const MARKS = { ok: "ok     ", warning: "WARNING", failed: "FAILED ", skipped: "-      " } as const;
const NAME_WIDTH = 16;

const isJson = process.argv.includes("--json");

function show({ check, verdict, message, remedy }: CheckResult): void {
  if (isJson) return;
  console.log(`${MARKS[verdict]}  ${check.padEnd(NAME_WIDTH)} ${message}`);
  if (remedy !== undefined) console.log(`${" ".repeat(MARKS.ok.length + NAME_WIDTH + 3)}→ ${remedy}`);
}

async function examine(): Promise<CheckResult[]> {
  const { config: parsed, findings } = examineConfiguration(process.env);
  const results = findings.map((finding) => ({ check: "configuration", ...finding }));
  results.forEach(show);
  if (parsed === undefined) return [...results, ...(await runChecks([nodeCheck()], show))];
  const { config } = await addOllama(parsed);
  const access = await openDatabaseAccess(config);
  try {
    return [...results, ...(await examineNode(config, access))];
  } finally {
    await access.close();
  }
}

async function examineNode(config: Readonly<Config>, access: DatabaseAccess): Promise<CheckResult[]> {
  const encryption = await openEncryption(config);
  const database =
    access.url === undefined
      ? undefined
      : await openDatabase(access.url, { maxConnections: 1 }).catch(() => undefined);
  const tls = await readAuthorities(config);
  const agent = await UserAgent.listen({
    bind: [{ address: "0.0.0.0", port: 0 }],
    tls,
    userAgent: "Parley",
    onInvite: (invite) => invite.reject(480, "Temporarily Unavailable"),
  });
  try {
    const trunks = await findTrunks(database, encryption);
    const examination: Examination = {
      config,
      database: access,
      encryption,
      isNode: false,
      trunks: trunks && { find: trunks, end: { agent, tls } },
    };
    return await runChecks(checksOf(examination), show);
  } finally {
    await agent.close();
    await database?.$client.end();
  }
}

async function findTrunks(
  database: Database | undefined,
  encryption: Encryption | undefined,
): Promise<NonNullable<Examination["trunks"]>["find"] | undefined> {
  if (database === undefined || encryption === undefined) return undefined;
  const { rows } = await database.$client.query<{ table: string | null }>(
    "select to_regclass('sip_trunks')::text as table",
  );
  if (rows[0]?.table === null) return undefined;
  const sipTrunks = new SipTrunksService(database, {
    encryption,
    clock: systemClock,
    organizationLimits: new OrganizationLimitsService(database, systemClock),
  });
  return async () => await sipTrunks.findAllWithProxy(MAX_CHECKED_TRUNKS);
}

/** The configured keys, or the one that a node with an embedded database keeps beside it. */
async function openEncryption({ encryptionKeys, dataDirectory }: Config): Promise<Encryption | undefined> {
  if (encryptionKeys !== undefined) return new Encryption(...encryptionKeys);
  const text = await readFile(path.join(dataDirectory, "encryption.key"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : new Encryption(parseEncryptionKey(text.trim()));
}

async function readAuthorities({ sip }: Config): Promise<TlsClientOptions> {
  const { authoritiesPath, allowsWildcards } = sip.tls;
  if (authoritiesPath === undefined) return { allowsWildcards };
  return { allowsWildcards, authorities: await readFile(authoritiesPath, "utf8") };
}

function summarize(results: readonly CheckResult[]): string {
  const count = (verdict: CheckResult["verdict"]): number =>
    results.filter((result) => result.verdict === verdict).length;
  const failures = count("failed");
  if (failures > 0) return `${failures} failed. Calls do not work until these are fixed.`;
  const warnings = count("warning");
  return warnings > 0 ? `Calls can work. ${warnings} warnings.` : "Calls can work.";
}

const results = await examine();
if (isJson) console.log(JSON.stringify({ results }));
else console.log(`\n${summarize(results)}`);
process.exitCode = results.some(({ verdict }) => verdict === "failed") ? 1 : 0;
