import { type KeyboardEvent, useState } from "react";
import "./keypad.css";

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"] as const;
const MAX_SHOWN = 24;

interface KeypadProps {
  /** Returns false if the key was lost. */
  onPress: (key: string) => boolean;
}

/** The keys of a telephone. They can be typed too while the focus is on one of them. */
export function Keypad({ onPress }: KeypadProps) {
  const [pressed, setPressed] = useState("");
  const [isLost, setLost] = useState(false);
  const press = (key: string): void => {
    const isSent = onPress(key);
    setLost(!isSent);
    if (isSent) setPressed((before) => `${before}${key}`.slice(-MAX_SHOWN));
  };
  const type = (event: KeyboardEvent): void => {
    const key = KEYS.find((each) => each === event.key);
    if (key === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    press(key);
  };
  return (
    <div className="keypad">
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys typed on its buttons */}
      <div role="group" aria-label="Keypad" className="keys" onKeyDown={type}>
        {KEYS.map((key) => (
          <button
            key={key}
            type="button"
            className="button"
            aria-label={names[key] ?? key}
            onClick={() => press(key)}
          >
            {key}
          </button>
        ))}
      </div>
      <p role="status" className="hint">
        {isLost ? "The key was lost: the call is reconnecting." : pressed && `Pressed ${pressed}`}
      </p>
    </div>
  );
}

const names: Readonly<Record<string, string>> = { "*": "Star", "#": "Hash" };
