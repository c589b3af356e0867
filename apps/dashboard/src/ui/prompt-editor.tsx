import { Decoration, type EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { Input } from "@mantine/core";
import { useId } from "react";
import { useCodeEditor } from "./use-code-editor.ts";

interface PromptEditorProps {
  label: string;
  description: string;
  error: string | undefined;
  required: boolean;
  path: string;
  text: string;
  onChange: (text: string) => void;
}

const variables = new MatchDecorator({
  regexp: /\{\{\s*[\w.-]+\s*\}\}/g,
  decoration: Decoration.mark({ class: "template-variable" }),
});

const highlightVariables = ViewPlugin.define(
  (view: EditorView) => {
    const plugin = {
      decorations: variables.createDeco(view),
      update: (update: ViewUpdate): void => {
        plugin.decorations = variables.updateDeco(update, plugin.decorations);
      },
    };
    return plugin;
  },
  { decorations: ({ decorations }) => decorations },
);

/** An editor of a long text for the language model, in which `{{variables}}` stand out. */
export function PromptEditor(props: PromptEditorProps) {
  const { label, description, error, required, path, text, onChange } = props;
  const id = useId();
  const parent = useCodeEditor({ labelId: id, path, text, onChange, extensions: highlightVariables });
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={description}
      error={error}
      required={required}
    >
      <div ref={parent} className="code-editor prompt-editor" />
    </Input.Wrapper>
  );
}
