/** Rules for agents that a schema cannot express. */
import { agentFields, type Issue, valueSchemas, withAvailableOnly } from "@parley/contract";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { isTimezone } from "../../platform/timezone.ts";
import type { AgentDocument } from "./agent-document.rules.ts";

const configuration = Compile(Type.Object(valueSchemas(agentFields)));

/** Applies this release's rules to a document that was valid when it was saved, and returns the problems. */
export function findSnapshotProblems(document: AgentDocument): Issue[] {
  const issues = configuration.Errors(document).map(({ instancePath, message }) => ({
    path: instancePath.slice(1).replaceAll("/", "."),
    message,
  }));
  return issues.length > 0 ? issues : findProblems(document);
}

export function findProblems(document: AgentDocument): Issue[] {
  const { timezone, widgetConfig, messagingConfig, postCallExtraction, postCallEvaluation } = document;
  const issues: Issue[] = [];
  if (!isTimezone(timezone)) issues.push({ path: "timezone", message: "must be an IANA timezone name" });
  const urls = {
    preCallWebhookUrl: document.preCallWebhookUrl,
    postCallWebhookUrl: document.postCallWebhookUrl,
    "messagingConfig.inboundWebhookUrl": messagingConfig.inboundWebhookUrl,
    "widgetConfig.appearance.avatarUrl": widgetConfig.appearance.avatarUrl,
  };
  for (const [path, url] of Object.entries(urls)) {
    if (url !== null && !URL.canParse(url)) issues.push({ path, message: "must be a URL" });
  }
  for (const [index, { type, options }] of postCallExtraction.entries()) {
    if (type !== "enum" || options.length > 0) continue;
    issues.push({ path: `postCallExtraction.${index}.options`, message: "must list the values of the enum" });
  }
  issues.push(...findRepeatedNames("postCallExtraction", postCallExtraction));
  issues.push(...findRepeatedNames("postCallEvaluation", postCallEvaluation));
  return issues;
}

/** Fields that have no effect yet and have neither their default nor the value that is stored. */
export function findUnavailable(document: AgentDocument, before: AgentDocument): Issue[] {
  return withAvailableOnly(agentFields, before, document).refused.map((path) => ({
    path,
    message: "is not available yet: only its default is accepted; leave it out or send null",
  }));
}

/** Changed URLs of webhooks with credentials. Those that an earlier release stored do not block other changes. */
export function findCredentials(document: AgentDocument, before: AgentDocument): Issue[] {
  const paths = ["preCallWebhookUrl", "postCallWebhookUrl"] as const;
  return paths.flatMap((path) => {
    const url = document[path];
    if (url === null || url === before[path] || !URL.canParse(url)) return [];
    const { username, password } = new URL(url);
    if (username === "" && password === "") return [];
    return [
      {
        path,
        message: "must not contain credentials: they are not sent. Verify the signature of webhooks instead",
      },
    ];
  });
}

function findRepeatedNames(path: string, items: readonly { name: string }[]): Issue[] {
  const names = items.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [{ path: `${path}.${index}.name`, message: "must be unique" }],
  );
}
