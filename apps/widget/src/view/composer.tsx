import { useRef, useState } from "preact/hooks";
import type { ViewProps } from "./app.tsx";
import { SendIcon } from "./icons.tsx";

/** A counter is shown when fewer characters are left. */
const COUNTED_CHARACTERS = 200;

export function Composer({ settings, wording: { texts }, actions }: ViewProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const { maxMessageCharacters } = settings;
  const left = maxMessageCharacters - text.length;
  const send = (): void => {
    const written = text.trim();
    if (written === "") return;
    actions.send(written);
    setText("");
    field.current?.focus();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="field" data-text={`${text} `}>
        <textarea
          ref={field}
          rows={1}
          data-first
          aria-label={texts.yourMessage}
          // An empty field has the direction of the widget.
          dir={text === "" ? undefined : "auto"}
          placeholder={settings.appearance.chatPlaceholder ?? texts.placeholder}
          maxLength={maxMessageCharacters}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            // Enter also ends the input of Chinese or Japanese words.
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
      </div>
      {left < COUNTED_CHARACTERS && <span class="counter">{left}</span>}
      <button type="submit" class="send" aria-label={texts.send} aria-disabled={text.trim() === ""}>
        <SendIcon />
      </button>
    </form>
  );
}
