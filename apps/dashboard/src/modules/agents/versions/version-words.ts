import type { AgentVersion } from "@parley/client";
import { labelOf } from "../../../ui/schema-field.rules.ts";

const MAX_NAMED = 4;

const verbs: Readonly<Record<AgentVersion["kind"], string>> = {
  created: "Created",
  updated: "Changed",
  published: "Published",
  restored: "Restored",
  deleted: "Deleted",
};

/** What a write did, in a line: "Changed Name, Voice ID". */
export function describeVersion({
  kind,
  changedFields,
}: Pick<AgentVersion, "kind" | "changedFields">): string {
  const fields = changedFields.filter((name) => name !== "publishedRevision");
  if (kind === "created") return verbs[kind];
  if (fields.length === 0) return kind === "updated" ? "Saved without changes" : verbs[kind];
  return `${verbs[kind]}${kind === "updated" ? " " : ": "}${listFields(fields)}`;
}

function listFields(fields: readonly string[]): string {
  const more = fields.length - MAX_NAMED;
  const named = fields.slice(0, MAX_NAMED).map((name) => labelOf(name));
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}

export function describeActor({ actor: { type, name } }: Pick<AgentVersion, "actor">): string {
  if (type === "api_key") return `${name} (API key)`;
  return type === "system" ? "Parley" : name;
}

/** A path such as `widgetConfig.enabled` as words. */
export function describePath(path: string): string {
  return path
    .split(".")
    .map((name) => labelOf(name))
    .join(" › ");
}
