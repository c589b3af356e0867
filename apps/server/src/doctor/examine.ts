import type { Config } from "../platform/config/config.ts";
import type { Encryption } from "../platform/encryption/encryption.ts";
import type { CheckedTrunk, SipEndpoint } from "../modules/sip-trunks/trunk-check.ts";
import { databaseCheck, type DatabaseAccess } from "./checks/database.ts";
import { embeddingsCheck } from "./checks/embeddings.ts";
import { languageModelCheck } from "./checks/language-model.ts";
import {
  diskCheck,
  memoryCheck,
  nodeCheck,
  openFilesCheck,
  processorCheck,
  writeAccessCheck,
} from "./checks/machine.ts";
import { portsCheck, publicAddressCheck, publicUrlCheck } from "./checks/network.ts";
import { runningNodeCheck } from "./checks/running-node.ts";
import { modelsCheck, speechFitCheck, speechVendorsCheck } from "./checks/speech.ts";
import { objectStorageCheck } from "./checks/storage.ts";
import { trunksCheck } from "./checks/trunks.ts";
import type { Check } from "./finding.ts";

/** Maximum number of trunks, of all organizations, that are checked: each takes some seconds. */
export const MAX_CHECKED_TRUNKS = 50;

export interface Examination {
  config: Readonly<Config>;
  database: Pick<DatabaseAccess, "url" | "directUrl" | "finding">;
  /** `undefined` if there is no key yet. */
  encryption: Encryption | undefined;
  /** Whether the node itself asks, whose models and processes are in memory already. */
  isNode: boolean;
  /** `undefined` if there are no trunks to ask, or no database that names them. */
  trunks: { find: () => Promise<readonly CheckedTrunk[]>; end: SipEndpoint } | undefined;
}

/** Every check that can be made with a valid configuration, in the order in which a start would meet the problems. */
export function checksOf({ config, database, encryption, isNode, trunks }: Examination): Check[] {
  return [
    nodeCheck(),
    processorCheck,
    memoryCheck(isNode ? undefined : config.localSpeech),
    diskCheck(config),
    writeAccessCheck(config),
    openFilesCheck,
    portsCheck(config),
    publicAddressCheck(config),
    publicUrlCheck(config),
    modelsCheck(config),
    speechFitCheck(config),
    databaseCheck(database, encryption),
    objectStorageCheck(config),
    languageModelCheck(config),
    embeddingsCheck(config),
    speechVendorsCheck(config),
    ...(trunks === undefined ? [] : [trunksCheck(trunks.find, trunks.end)]),
    runningNodeCheck(config.http.port),
  ];
}
