/** A row of the editor. `isKnown`: the agent has it, and `configured` is its value unless another is given. */
export interface VariableRow {
  id: number;
  name: string;
  value: string;
  isKnown: boolean;
  configured: string;
}

/** Rows for what an agent knows of. */
export function rowsOf(variables: Readonly<Record<string, string>>): VariableRow[] {
  return Object.entries(variables)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, configured], id) => ({
      id,
      name,
      value: "",
      isKnown: true,
      configured,
    }));
}

/** Those that were given a value. */
export function valuesOf(rows: readonly VariableRow[]): Record<string, string> {
  const given = rows.filter(({ name, value }) => name.trim() !== "" && value !== "");
  return Object.fromEntries(given.map(({ name, value }) => [name.trim(), value]));
}
