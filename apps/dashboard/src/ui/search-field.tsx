import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import Search from "lucide-react/icons/search";
import { useEffect, useState } from "react";

const TYPING_PAUSE_MS = 250;

interface SearchFieldProps {
  label: string;
  /** Default: "Search". */
  placeholder?: string;
  value: string | undefined;
  /** Called when typing pauses; `undefined` if the field is empty. */
  onChange: (text: string | undefined) => void;
}

export function SearchField({ label, placeholder = "Search", value = "", onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const report = useDebouncedCallback(
    (typed: string) => onChange(typed.trim() || undefined),
    TYPING_PAUSE_MS,
  );
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        report(target.value);
      }}
    />
  );
}
