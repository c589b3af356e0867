import { type Config, ConfigError, parseConfig } from "../../platform/config/config.ts";
import { failed, type Finding, ok, warning } from "../finding.ts";

/** Reads the environment. `config` is `undefined` if a start would refuse it. */
export function examineConfiguration(environment: NodeJS.ProcessEnv): {
  config: Readonly<Config> | undefined;
  findings: Finding[];
} {
  try {
    const { config, warnings } = parseConfig(environment);
    const findings = warnings.map((text) => warning(text, "Correct the name, or remove the variable."));
    return { config, findings: findings.length > 0 ? findings : [ok("All variables are valid.")] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = "Correct the variable (docs/operating.md lists all variables).";
    return { config: undefined, findings: error.problems.map((problem) => failed(problem, remedy)) };
  }
}
