import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { messageOf } from "../../ui/problem.tsx";
import "./instruction-form.css";

const LONGEST = 2000;

interface InstructionFormProps {
  /** @param speak whether the agent says it now, in its own words. */
  onInstruct: (instruction: string, speak: boolean) => Promise<void>;
}

/** Tells the agent what to do, in the middle of its call. */
export function InstructionForm({ onInstruct }: InstructionFormProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [isSpoken, setSpoken] = useState(true);
  const [isSending, setSending] = useState(false);
  const [note, setNote] = useState<{ text: string; isError: boolean }>();
  const send = async (): Promise<void> => {
    if (text.trim() === "" || isSending) return;
    setSending(true);
    try {
      await onInstruct(text.trim(), isSpoken);
      setText("");
      setNote({ text: isSpoken ? "The agent will say it." : "The agent will follow it.", isError: false });
    } catch (error) {
      setNote({ text: messageOf(error), isError: true });
    } finally {
      setSending(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  const sendOnEnter = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form className="instruction" onSubmit={submit}>
      <label htmlFor={id} className="hidden-visually">
        Instruction to the agent
      </label>
      <textarea
        id={id}
        className="input"
        rows={1}
        maxLength={LONGEST}
        placeholder="Tell the agent…"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={sendOnEnter}
      />
      <button type="submit" className="button" disabled={text.trim() === "" || isSending}>
        Send
      </button>
      <SpokenChoice isSpoken={isSpoken} onChoose={setSpoken} />
      <p role="status" className={note?.isError === true ? "note failed" : "note"}>
        {note?.text}
      </p>
    </form>
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
