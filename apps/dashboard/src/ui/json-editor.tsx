import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { linter, lintKeymap } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { Input } from "@mantine/core";
import { useId } from "react";
import { useCodeEditor } from "./use-code-editor.ts";

interface JsonEditorProps {
  label: string;
  description?: string;
  error?: string | undefined;
  /** Path in a form. */
  path?: string;
  text: string;
  onChange: (text: string) => void;
  /** What the editor says beyond JSON. That of the first render stays. */
  language?: Extension;
}

const extensions = [
  lineNumbers(),
  bracketMatching(),
  json(),
  linter(jsonParseLinter()),
  syntaxHighlighting(classHighlighter),
  keymap.of(lintKeymap),
];

/** An editor of JSON with colors, line numbers, and marks at mistakes. */
export function JsonEditor({
  label,
  description,
  error,
  path,
  text,
  onChange,
  language = [],
}: JsonEditorProps) {
  const id = useId();
  const parent = useCodeEditor({ labelId: id, path, text, onChange, extensions: [extensions, language] });
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={description}
      error={error}
    >
      <div ref={parent} className="code-editor" />
    </Input.Wrapper>
  );
}
