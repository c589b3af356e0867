import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { Annotation, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { type RefObject, use, useEffect, useLayoutEffect, useRef } from "react";
import { styleNonce } from "../app/nonce.ts";
import { EditableContext } from "./editable.ts";
import "./code-editor.css";

/** Marks a change that did not come from the person who writes. */
const replacement = Annotation.define<true>();

interface CodeEditorOptions {
  /** Id of the element that names the editor. */
  labelId: string;
  /** Path in a form. */
  path: string | undefined;
  /** A text that differs from what is written replaces it. */
  text: string;
  onChange: (text: string) => void;
  /** Of the language. Those of the first render stay. */
  extensions: Extension;
}

/** An editor inside the returned element, whose class is `code-editor`. Tab leaves it, so that the keyboard is not caught. */
export function useCodeEditor(options: CodeEditorOptions): RefObject<HTMLDivElement | null> {
  const { labelId, path, text } = options;
  const isEditable = use(EditableContext);
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    if (parent.current === null) return;
    const editor = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          EditorView.cspNonce.of(styleNonce),
          EditorView.contentAttributes.of({
            "aria-labelledby": labelId,
            "aria-readonly": String(!isEditable),
            // What scrolls is then reached by keyboard, for tools that do not count editable content.
            tabindex: "0",
            ...(path && { "data-path": path }),
          }),
          EditorState.readOnly.of(!isEditable),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const isWritten = !transactions.some((each) => each.annotation(replacement) === true);
            if (docChanged && isWritten) latest.current.onChange(state.doc.toString());
          }),
          EditorView.lineWrapping,
          history(),
          latest.current.extensions,
          keymap.of([...defaultKeymap, ...historyKeymap]),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [labelId, path, isEditable]);
  // Before the next key: a later effect might take back what was written since.
  useLayoutEffect(() => {
    const { current } = view;
    if (current === undefined || current.state.doc.toString() === text) return;
    const changes = { from: 0, to: current.state.doc.length, insert: text };
    current.dispatch({ changes, annotations: replacement.of(true) });
  }, [text]);
  return parent;
}
