/** Rules for agents that a schema cannot express. */
import { agentFields, type Issue, keysOf, valueSchemas } from "@parley/contract";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";
import { isTimezone } from "../../platform/timezone.ts";
import type { AgentDocument } from "./agent-document.rules.ts";
import { findFlowProblems } from "./flows/flow.rules.ts";

const configuration = Compile(Type.Object(valueSchemas(agentFields)));

/** Applies this release's rules to a document that was valid when it was saved, and returns the problems. */
export function findSnapshotProblems(document: AgentDocument): Issue[] {
  const issues = configuration.Errors(document).map(({ instancePath, message }) => ({
    path: instancePath.slice(1).replaceAll("/", "."),
    message,
  }));
  return issues.length > 0 ? issues : [...findProblems(document), ...findFlowProblems(document)];
}

export function findProblems(document: AgentDocument): Issue[] {
  const { timezone, messagingConfig, widgetConfig, postCallExtraction, postCallEvaluation } = document;
  const issues: Issue[] = [];
  if (!isTimezone(timezone)) issues.push({ path: "timezone", message: "must be an IANA timezone name" });
  const { fromNumber } = messagingConfig;
  if (fromNumber !== null && normalizePhoneNumber(fromNumber) === undefined)
    issues.push({
      path: "messagingConfig.fromNumber",
      message: "must be a valid phone number with its country code",
    });
  if (messagingConfig.inboundMode === "webhook" && messagingConfig.inboundWebhookUrl === null)
    issues.push({
      path: "messagingConfig.inboundWebhookUrl",
      message: "is required if messagingConfig.inboundMode is webhook",
    });
  const urls = {
    ...webhookUrlsOf(document),
    "widgetConfig.appearance.avatarUrl": widgetConfig.appearance.avatarUrl,
  };
  for (const [path, url] of Object.entries(urls)) {
    if (url !== null && !URL.canParse(url)) issues.push({ path, message: "must be a URL" });
  }
  for (const [index, { type, options }] of postCallExtraction.entries()) {
    if (type !== "enum" || options.length > 0) continue;
    issues.push({ path: `postCallExtraction.${index}.options`, message: "must list the values of the enum" });
  }
  if (document.voicemailAction === "leave_message" && (document.voicemailMessage ?? "").trim() === "")
    issues.push({ path: "voicemailMessage", message: "is required for the voicemailAction leave_message" });
  issues.push(...findRepeatedNames("postCallExtraction", postCallExtraction));
  issues.push(...findRepeatedNames("postCallEvaluation", postCallEvaluation));
  return issues;
}

/** Changed URLs of webhooks that cannot work. Those that an earlier release stored do not block other changes. */
export function findUnusableUrls(document: AgentDocument, before: AgentDocument): Issue[] {
  const [urls, urlsBefore] = [webhookUrlsOf(document), webhookUrlsOf(before)];
  return keysOf(urls).flatMap((path) => {
    const url = urls[path];
    const message = url === null || url === urlsBefore[path] ? undefined : findUrlProblem(url);
    return message === undefined ? [] : [{ path, message }];
  });
}

function webhookUrlsOf({ preCallWebhookUrl, postCallWebhookUrl, messagingConfig }: AgentDocument) {
  const inbound = { "messagingConfig.inboundWebhookUrl": messagingConfig.inboundWebhookUrl };
  return { preCallWebhookUrl, postCallWebhookUrl, ...inbound };
}

function findUrlProblem(url: string): string | undefined {
  // A caller or a contact chooses values of variables, and would choose the server with them.
  if (url.includes("{{"))
    return "must not contain variables: they are not replaced in this URL. The webhook's body has their values";
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  if (username === "" && password === "") return undefined;
  return "must not contain credentials: they are not sent. Verify the signature of webhooks instead";
}

function findRepeatedNames(path: string, items: readonly { name: string }[]): Issue[] {
  const names = items.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [{ path: `${path}.${index}.name`, message: "must be unique" }],
  );
}
