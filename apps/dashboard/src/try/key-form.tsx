import { Parley } from "@parley/client";
import { type FormEvent, useId, useState } from "react";
import { messageOf } from "../ui/use-loaded.ts";

interface KeyFormProps {
  baseUrl: string;
  /** Why a key that was there before is not accepted. */
  problem?: string | undefined;
  onKey: (apiKey: string) => void;
}

/** Asks for an API key and tries it. */
export function KeyForm({ baseUrl, problem, onKey }: KeyFormProps) {
  const id = useId();
  const [apiKey, setApiKey] = useState("");
  const [isChecking, setChecking] = useState(false);
  const [refusal, setRefusal] = useState(problem);
  const check = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setChecking(true);
    setRefusal(undefined);
    try {
      await new Parley({ baseUrl, apiKey }).listAgents({ pageSize: 1 });
      onKey(apiKey);
    } catch (error) {
      setRefusal(messageOf(error));
      setChecking(false);
    }
  };
  return (
    <form className="card key-form" onSubmit={(event) => void check(event)}>
      <h2>Your API key</h2>
      <p className="hint" id={`${id}-hint`}>
        The key starts test calls and reads your agents. It is stored in this tab until you close it.
      </p>
      <details className="hint">
        <summary>Where do I get a key?</summary>
        <p>
          The server prints a key and a link to this page at its first start. With a key you can create more:{" "}
          <code>POST /v1/api-keys</code> (see the <a href="/docs">API reference</a>). If all keys are lost,
          set <code>PARLEY_BOOTSTRAP_API_KEY</code> to a new key and restart the server.
        </p>
      </details>
      <div className="field">
        <label htmlFor={id}>API key</label>
        <input
          id={id}
          className="input"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={apiKey}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => setApiKey(target.value.trim())}
        />
      </div>
      {refusal !== undefined && (
        <p role="alert" className="notice error">
          {refusal}
        </p>
      )}
      <button type="submit" className="button primary" disabled={isChecking}>
        {isChecking ? "Checking…" : "Continue"}
      </button>
    </form>
  );
}
