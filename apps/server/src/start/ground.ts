import type { Logger } from "pino";
import type { ClosingStack } from "../platform/closing-stack.ts";
import type { Config } from "../platform/config/config.ts";

/** What every part of the node is given. */
export interface Ground {
  config: Readonly<Config>;
  nodeId: string;
  logger: Logger;
  started: ClosingStack;
}
