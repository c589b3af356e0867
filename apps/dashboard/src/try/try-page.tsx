import { useCallback, useState } from "react";
import { AgentChoice } from "./agent-choice.tsx";
import { storeKey } from "./api-key.ts";
import { KeyForm } from "./key-form.tsx";

interface TryPageProps {
  baseUrl: string;
  initialKey: string | undefined;
  /** The one that a link names. Without a link the newest is chosen. */
  initialAgentId: string | undefined;
}

export function TryPage({ baseUrl, initialKey, initialAgentId }: TryPageProps) {
  const [apiKey, setApiKey] = useState(initialKey);
  const [keyProblem, setKeyProblem] = useState<string>();
  const changeKey = useCallback((key: string | undefined, problem?: string) => {
    storeKey(key);
    setApiKey(key);
    setKeyProblem(problem);
  }, []);
  const refuseKey = useCallback((problem: string) => changeKey(undefined, problem), [changeKey]);
  return (
    <>
      <header className="top">
        <span className="logo" aria-hidden="true">
          <span />
          <span />
          <span />
        </span>
        <h1>Try an agent</h1>
        {apiKey !== undefined && (
          <button type="button" className="button plain" onClick={() => changeKey(undefined)}>
            Change key
          </button>
        )}
      </header>
      <main>
        {apiKey === undefined ? (
          <KeyForm baseUrl={baseUrl} problem={keyProblem} onKey={changeKey} />
        ) : (
          <AgentChoice
            key={apiKey}
            baseUrl={baseUrl}
            apiKey={apiKey}
            initialAgentId={initialAgentId}
            onKeyRefused={refuseKey}
          />
        )}
      </main>
    </>
  );
}
