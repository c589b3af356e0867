import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { messageOf } from "../../ui/problem.tsx";
import "./write-form.css";

interface WriteFormProps {
  /** Names the field. */
  label: string;
  placeholder: string;
  maxLength: number;
  /** Resolves with what to say about it. */
  onSend: (text: string) => Promise<string>;
  /** Choices below the field. */
  children?: ReactNode;
}

/** A line of text to be sent, by Enter or the button. It stays if sending it fails. */
export function WriteForm({ label, placeholder, maxLength, onSend, children }: WriteFormProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [isSending, setSending] = useState(false);
  const [note, setNote] = useState<{ text: string; isError: boolean }>();
  const send = async (): Promise<void> => {
    if (text.trim() === "" || isSending) return;
    setSending(true);
    try {
      const said = await onSend(text.trim());
      setText("");
      setNote({ text: said, isError: false });
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
    <form className="write-form" onSubmit={submit}>
      <label htmlFor={id} className="hidden-visually">
        {label}
      </label>
      <textarea
        id={id}
        className="input"
        rows={1}
        maxLength={maxLength}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={sendOnEnter}
      />
      <button type="submit" className="button" disabled={text.trim() === "" || isSending}>
        Send
      </button>
      {children}
      <p role="status" className={note?.isError === true ? "note failed" : "note"}>
        {note?.text}
      </p>
    </form>
  );
}
