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
        It starts test calls and reads your agents. This tab remembers it until it is closed.
      </p>
      <details className="hint">
        <summary>Where do I get a key?</summary>
        <p>
          A server prints one at its first start, with a link to this page that holds it. Whoever has a key
          can make more: <code>POST /v1/api-keys</code> (see the <a href="/docs">reference</a>). If none is
          left, start the server with <code>PARLEY_BOOTSTRAP_API_KEY</code> set to a new one.
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
