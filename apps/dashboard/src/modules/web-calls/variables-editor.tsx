import { useId } from "react";
import type { VariableRow } from "./variables.rules.ts";
import "./variables-editor.css";

interface VariablesEditorProps {
  rows: readonly VariableRow[];
  onChange: (rows: readonly VariableRow[]) => void;
}

/** Values for the `{{names}}` of this call alone. */
export function VariablesEditor({ rows, onChange }: VariablesEditorProps) {
  const labelId = useId();
  const change = (id: number, changes: Partial<VariableRow>): void => {
    onChange(rows.map((row) => (row.id === id ? { ...row, ...changes } : row)));
  };
  const add = (): void => {
    const id = Math.max(-1, ...rows.map((row) => row.id)) + 1;
    onChange([...rows, { id, name: "", value: "", isKnown: false, configured: "" }]);
  };
  return (
    <div className="field variables" role="group" aria-labelledby={labelId}>
      <span className="label" id={labelId}>
        Variables
      </span>
      {rows.map((row) => (
        <div className="row" key={row.id}>
          {row.isKnown ? (
            <code title={row.name}>{row.name}</code>
          ) : (
            <input
              className="input"
              aria-label="Name of the variable"
              placeholder="name"
              pattern="[A-Za-z0-9_.\-]{1,64}"
              value={row.name}
              onChange={({ target }) => change(row.id, { name: target.value })}
            />
          )}
          <input
            className="input"
            aria-label={`Value of ${row.name || "the variable"}`}
            placeholder={String(row.configured ?? "") || "value"}
            value={row.value}
            onChange={({ target }) => change(row.id, { value: target.value })}
          />
          {!row.isKnown && (
            <button
              type="button"
              className="button plain"
              aria-label={`Remove ${row.name || "the variable"}`}
              onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
            >
              ×
            </button>
          )}
        </div>
      ))}
      <button type="button" className="button plain add" onClick={add}>
        + Add a variable
      </button>
    </div>
  );
}
