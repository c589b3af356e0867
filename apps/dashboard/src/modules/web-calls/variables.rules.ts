type VariableValue = string | number | boolean | null;

/** A row of the editor. `isKnown`: the agent has the variable, with `configured` as its value unless `value` is given. */
export interface VariableRow {
  id: number;
  name: string;
  value: string;
  isKnown: boolean;
  configured: VariableValue;
}

type Variables = Readonly<Record<string, VariableValue>>;

/** Returns a row for each variable of an agent. */
export function rowsOf(variables: Variables): VariableRow[] {
  return Object.entries(variables)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, configured], id) => ({ id, name, value: "", isKnown: true, configured }));
}

/** The rows with the values of an earlier call: those that are not the agent's own are filled in or added. */
export function withValues(rows: readonly VariableRow[], given: Variables): VariableRow[] {
  const filled = rows.map((row) => {
    const value = given[row.name];
    return value === undefined || value === row.configured ? row : { ...row, value: String(value) };
  });
  const added = Object.entries(given).filter(([name]) => !rows.some((row) => row.name === name));
  return [
    ...filled,
    ...added.map(([name, configured], index) => {
      return { id: rows.length + index, name, value: String(configured), isKnown: false, configured };
    }),
  ];
}

/** The rows of an agent that was changed, with what is written in the present ones. */
export function rebaseRows(rows: readonly VariableRow[], variables: Variables): VariableRow[] {
  const written = rows.filter(({ isKnown, value }) => !isKnown || value !== "");
  const own = rowsOf(variables).map((row) => {
    return { ...row, value: written.find(({ name }) => name === row.name)?.value ?? "" };
  });
  const others = written.filter(({ name }) => !own.some((row) => row.name === name));
  return [...own, ...others.map((row, index) => ({ ...row, id: own.length + index, isKnown: false }))];
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
