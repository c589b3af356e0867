import type { ViewProps } from "./app.tsx";
import { CloseIcon } from "./icons.tsx";

/** The last failure, with what to do. */
export function Problem({ wording, state, actions }: ViewProps) {
  if (state.problem === undefined) return null;
  return (
    <div class="problem">
      <p>{state.problem}</p>
      <button
        type="button"
        class="icon-button"
        aria-label={wording.texts.dismiss}
        onClick={actions.dismissProblem}
      >
        <CloseIcon />
      </button>
    </div>
  );
}
