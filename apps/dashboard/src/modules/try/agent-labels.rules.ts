import type { Agent } from "@parley/client";

const SHORT_ID_CHARACTERS = 8;

/** Labels of the agents, in their order: its name, and the start of its id if another has the same name. */
export function labelsOf(agents: readonly Pick<Agent, "id" | "name">[]): string[] {
  const names = agents.map(({ name }) => name);
  return agents.map(({ id, name }) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${id.slice(0, SHORT_ID_CHARACTERS)})`,
  );
}
