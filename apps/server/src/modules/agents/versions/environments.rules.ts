import {
  type Environment,
  ENVIRONMENT_NAME_PATTERN,
  type EnvironmentChange,
  MAX_ENVIRONMENTS,
  PRODUCTION,
} from "@parley/contract";
import { AppError, invalidBody } from "../../../platform/app-error.ts";
import type { SavedAgent } from "../agent-state.rules.ts";
import type { EnvironmentRow } from "./environments.store.ts";

const slug = new RegExp(ENVIRONMENT_NAME_PATTERN);

/** Throws `environment_builtin`; `invalid_body` if the name is malformed. */
export function requirePuttable(name: string): void {
  if (name === PRODUCTION) throw new AppError("environment_builtin");
  if (!slug.test(name)) throw invalidBody("name", `must match ${ENVIRONMENT_NAME_PATTERN}`);
}

/** Applies a PUT to an environment; `before` is `undefined` if the name is new. Throws `environment_limit_reached`. */
export function changeEnvironment(
  before: EnvironmentRow | undefined,
  existing: number,
  { revision, variables }: EnvironmentChange,
): Pick<EnvironmentRow, "revision" | "variables"> {
  if (before === undefined && existing >= MAX_ENVIRONMENTS) throw new AppError("environment_limit_reached");
  return {
    revision: revision === undefined ? (before?.revision ?? null) : revision,
    variables: variables === undefined ? (before?.variables ?? {}) : (variables ?? {}),
  };
}

export function presentEnvironment(agent: SavedAgent, row: EnvironmentRow): Environment {
  return {
    name: row.name,
    revision: row.revision,
    variables: row.variables,
    builtin: false,
    phoneNumbers: numbersIn(agent, (environment) => environment === row.name),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Production, the environment that every agent has and that has no row. */
export function presentProduction(agent: SavedAgent, named: readonly EnvironmentRow[]): Environment {
  const names = new Set(named.map(({ name }) => name));
  return {
    name: PRODUCTION,
    revision: agent.publishedRevision,
    variables: {},
    builtin: true,
    phoneNumbers: numbersIn(agent, (environment) => environment === null || !names.has(environment)),
    createdAt: agent.createdAt.toISOString(),
    updatedAt: agent.updatedAt.toISOString(),
  };
}

function numbersIn({ document }: SavedAgent, isIn: (environment: string | null) => boolean): string[] {
  return document.phoneNumbers.filter(({ environment }) => isIn(environment)).map(({ e164 }) => e164);
}
