import { syntaxTree } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import type { EditorState, Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { describeAt, findSchemaFaults, type FlowSchema, type JsonPath } from "./flow-schema.rules.ts";

type SyntaxNode = ReturnType<typeof syntaxTree>["topNode"];

/** Marks faults by the schema where they are, and describes the field under the pointer. */
export function flowLanguage(schema: FlowSchema): Extension {
  return [
    linter(({ state }): Diagnostic[] => {
      const value = read(state);
      if (value === undefined) return [];
      return findSchemaFaults(schema, value).map(({ path, message }) => {
        const { from, to } = findNode(state, path);
        return { from, to, message, severity: "error" };
      });
    }),
    hoverTooltip(({ state }, position) => {
      const node = syntaxTree(state).resolveInner(position, 0);
      const property = node.name === "PropertyName" ? node.parent : null;
      const text = property && describeAt(schema, read(state), pathOf(state, property));
      if (!text) return null;
      return { pos: node.from, end: node.to, create: () => ({ dom: createNote(text) }) };
    }),
  ];
}

function createNote(text: string): HTMLElement {
  const note = document.createElement("div");
  note.className = "code-note";
  note.textContent = text;
  return note;
}

function read(state: EditorState): unknown {
  try {
    return JSON.parse(state.doc.toString());
  } catch {
    return undefined;
  }
}

function valuesIn(array: SyntaxNode): SyntaxNode[] {
  const values: SyntaxNode[] = [];
  for (let child = array.firstChild; child !== null; child = child.nextSibling)
    if (!["[", "]", "⚠"].includes(child.name)) values.push(child);
  return values;
}

function nameOf(state: EditorState, property: SyntaxNode): string {
  const name = property.getChild("PropertyName");
  return name === null ? "" : String(JSON.parse(state.sliceDoc(name.from, name.to)));
}

/** The node at a path, as far as the text has it. */
function findNode(state: EditorState, path: JsonPath): SyntaxNode {
  let node = syntaxTree(state).topNode.firstChild ?? syntaxTree(state).topNode;
  for (const part of path) {
    const next =
      typeof part === "number"
        ? valuesIn(node)[part]
        : node.getChildren("Property").find((each) => nameOf(state, each) === part)?.lastChild;
    if (!next) return node;
    node = next;
  }
  return node;
}

/** The path of a property from the top. */
function pathOf(state: EditorState, property: SyntaxNode): JsonPath {
  const path: (string | number)[] = [];
  for (let node: SyntaxNode | null = property; node !== null; node = node.parent) {
    if (node.name === "Property") path.unshift(nameOf(state, node));
    else if (node.parent?.name === "Array") {
      const { from } = node;
      path.unshift(valuesIn(node.parent).findIndex((value) => value.from === from));
    }
  }
  return path;
}
