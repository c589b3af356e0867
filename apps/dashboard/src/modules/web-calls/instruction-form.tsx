import { useId, useState } from "react";
import { WriteForm } from "./write-form.tsx";

const LONGEST = 2000;

interface InstructionFormProps {
  /** @param speak whether the agent says it now, in its own words. */
  onInstruct: (instruction: string, speak: boolean) => Promise<void>;
}

/** Tells the agent what to do, in the middle of its conversation. */
export function InstructionForm({ onInstruct }: InstructionFormProps) {
  const [isSpoken, setSpoken] = useState(true);
  const send = async (text: string): Promise<string> => {
    await onInstruct(text, isSpoken);
    return isSpoken ? "The agent will say it." : "The agent will follow it.";
  };
  return (
    <WriteForm
      label="Instruction to the agent"
      placeholder="Tell the agent…"
      maxLength={LONGEST}
      onSend={send}
    >
      <SpokenChoice isSpoken={isSpoken} onChoose={setSpoken} />
    </WriteForm>
  );
}

interface SpokenChoiceProps {
  isSpoken: boolean;
  onChoose: (isSpoken: boolean) => void;
}

function SpokenChoice({ isSpoken, onChoose }: SpokenChoiceProps) {
  const name = useId();
  return (
    <fieldset>
      <legend className="hidden-visually">How the agent uses the instruction</legend>
      <label>
        <input type="radio" name={name} checked={isSpoken} onChange={() => onChoose(true)} /> Say it now
      </label>
      <label>
        <input type="radio" name={name} checked={!isSpoken} onChange={() => onChoose(false)} /> Follow it
        silently
      </label>
    </fieldset>
  );
}
