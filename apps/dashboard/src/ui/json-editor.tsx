import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { linter, lintKeymap } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { Input } from "@mantine/core";
import { useEffect, useId, useRef } from "react";
import { styleNonce } from "../app/nonce.ts";
import "./json-editor.css";

interface JsonEditorProps {
  label: string;
  description?: string;
  error?: string | undefined;
  /** Path in a form. */
  path?: string;
  /** Text of the beginning. */
  initialText: string;
  onChange: (text: string) => void;
}

/** An editor of JSON with colors, line numbers, and marks at mistakes. Tab leaves it, so that the keyboard is not caught. */
export function JsonEditor({ label, description, error, path, initialText, onChange }: JsonEditorProps) {
  const id = useId();
  const parent = useRef<HTMLDivElement>(null);
  const listener = useRef(onChange);
  listener.current = onChange;
  const first = useRef(initialText);
  useEffect(() => {
    if (parent.current === null) return;
    const view = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(styleNonce),
          EditorView.contentAttributes.of({ "aria-labelledby": id, ...(path && { "data-path": path }) }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) listener.current(update.state.doc.toString());
          }),
          EditorView.lineWrapping,
          lineNumbers(),
          history(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          syntaxHighlighting(classHighlighter),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        ],
      }),
    });
    return () => view.destroy();
  }, [id, path]);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={description}
      error={error}
    >
      <div ref={parent} className="json-editor" />
    </Input.Wrapper>
  );
}
