import type { SipTrunksService } from "../modules/sip-trunks/sip-trunks.service.ts";
import type { SipEndpoint } from "../modules/sip-trunks/trunk-check.ts";
import type { Config } from "../platform/config/config.ts";
import type { DatabaseConnection } from "../platform/database/connect.ts";
import { checksOf, MAX_CHECKED_TRUNKS } from "./examine.ts";
import { type CheckResult, ok, runChecks } from "./finding.ts";

interface RunningNode extends Pick<DatabaseConnection, "directUrl" | "encryption" | "isEmbedded"> {
  config: Readonly<Config>;
  sipTrunks: SipTrunksService;
  sip: SipEndpoint;
}

/** Examines a node from inside. */
export async function examineNode({
  config,
  directUrl,
  encryption,
  isEmbedded,
  sipTrunks,
  sip,
}: RunningNode): Promise<CheckResult[]> {
  const kind = isEmbedded ? "an embedded" : "an external";
  const checks = checksOf({
    config,
    database: {
      url: config.database?.url ?? directUrl,
      directUrl,
      finding: ok(`This node has ${kind} PostgreSQL.`),
    },
    encryption,
    isNode: true,
    trunks: { find: async () => await sipTrunks.findAllWithProxy(MAX_CHECKED_TRUNKS), end: sip },
  });
  return await runChecks(checks);
}
