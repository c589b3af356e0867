import { type AgentVersion, type AgentVersionDetail, type CustomTool, isKeyOf } from "@parley/contract";
import type { AgentDocument } from "../agent-document.rules.ts";
import type { AgentPublicationState } from "../agent-state.rules.ts";

const MASK = "••••••••";

/** `before` is `undefined` for the first version. */
export function presentVersionDetail(
  version: AgentVersion,
  after: AgentPublicationState,
  before: AgentPublicationState | undefined,
): AgentVersionDetail {
  const [shownBefore, shownAfter] = [before && toShown(before), toShown(after)];
  const changes = version.changedFields.map((field) => ({
    field,
    before: valueOf(shownBefore, field),
    after: valueOf(shownAfter, field),
  }));
  const { publishMode: _publishMode, publishedRevision: _publishedRevision, ...snapshot } = shownAfter;
  return { ...version, changes, snapshot };
}

/** An agent's fields in one flat object, with possible credentials masked. */
function toShown({ document, publishMode, publishedRevision }: AgentPublicationState) {
  const { schemaVersion: _schemaVersion, ...fields } = document;
  return { ...fields, customTools: document.customTools.map(maskTool), publishMode, publishedRevision };
}

/** `null` if the field did not exist. */
function valueOf(shown: object | undefined, field: string): unknown {
  return shown !== undefined && isKeyOf(shown, field) ? shown[field] : null;
}

function maskTool(tool: CustomTool): AgentDocument["customTools"][number] {
  const mask = ({ key }: { key: string }) => ({ key, value: MASK });
  return { ...tool, headers: tool.headers.map(mask), queryParams: tool.queryParams.map(mask) };
}
