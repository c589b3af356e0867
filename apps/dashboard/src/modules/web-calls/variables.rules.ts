type VariableValue = string | number | boolean | null;

/** A row of the editor. `isKnown`: the agent has the variable, with `configured` as its value unless `value` is given. */
export interface VariableRow {
  id: number;
  name: string;
  value: string;
  isKnown: boolean;
  configured: VariableValue;
}

/** Returns a row for each variable of an agent. */
export function rowsOf(variables: Readonly<Record<string, VariableValue>>): VariableRow[] {
  return Object.entries(variables)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, configured], id) => ({ id, name, value: "", isKnown: true, configured }));
}

/** Returns the variables with a value. Each keeps the type of its configured value if the text allows it. */
export function valuesOf(rows: readonly VariableRow[]): Record<string, VariableValue> {
  const given = rows.filter(({ name, value }) => name.trim() !== "" && value !== "");
  return Object.fromEntries(given.map((row) => [row.name.trim(), readValue(row)]));
}

function readValue({ value, configured }: VariableRow): VariableValue {
  const isNumber = typeof configured === "number" && /^-?\d+(\.\d+)?$/.test(value);
  if (isNumber) return Number(value);
  if (typeof configured !== "boolean" || !["true", "false"].includes(value)) return value;
  return value === "true";
}
