import type { CustomTool, Variables } from "@parley/contract";
import type { Pair, WebhookTool } from "../../../custom-tools/webhook-tool.ts";
import { readToolFunction } from "../../agents/tools/tool-function.rules.ts";
import { renderTemplate, toText } from "./variables.rules.ts";

/** Returns a tool as a conversation with these variables runs it. */
export function renderTool(
  tool: CustomTool,
  variables: Variables,
): { tool: WebhookTool; unknownNames: string[] } {
  const unknownNames = new Set<string>();
  const render = (template: string, values: Variables): string => {
    const rendered = renderTemplate(template, values);
    for (const name of rendered.unknownNames) unknownNames.add(name);
    return rendered.text;
  };
  const renderPairs = (pairs: readonly Pair[]): Pair[] =>
    pairs.map(({ key, value }) => ({ key, value: render(value, variables) }));
  const { description, parameters } = readToolFunction(tool.schema);
  const encoded = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      encodeURIComponent(toText(value).toWellFormed()),
    ]),
  );
  return {
    tool: {
      id: tool.id,
      name: tool.name,
      description,
      inputSchema: parameters,
      isAsync: tool.responseMode === "async",
      method: tool.httpMethod,
      url: renderUrl(tool.webhookUrl, (template) => render(template, encoded)),
      headers: renderPairs(tool.headers),
      queryParams: renderPairs(tool.queryParams),
      isRawBody: tool.sendRawRequestBody,
    },
    unknownNames: [...unknownNames],
  };
}

/** Renders path and query only: a variable must not choose the server. */
function renderUrl(template: string, render: (template: string) => string): string {
  const [, origin = "", path = "", rest = ""] =
    /^(https?:[\\/]*[^\\/?#]*)([^?#]*)(.*)$/s.exec(template) ?? [];
  const segments = path.split("/").map((segment) => {
    const rendered = render(segment);
    // As a whole segment, dots would leave the path's folder, even percent-encoded once.
    const isDots = segment !== rendered && (rendered === "." || rendered === "..");
    return isDots ? rendered.replaceAll(".", "%252E") : rendered;
  });
  return origin + segments.join("/") + render(rest);
}
