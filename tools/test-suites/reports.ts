/** Results of runs as JUnit XML, by the schema `junit-10.xsd` of Jenkins, and as Markdown. */
import type { TestAttempt, TestRunDetail } from "@parley/client/api";

export interface SuiteResult {
  suiteName: string;
  run: TestRunDetail;
}

const MAX_CELL_CHARACTERS = 300;

/** Whether all cases passed: one that has no verdict did not. */
export const hasPassed = ({ run }: SuiteResult): boolean =>
  run.status === "completed" && run.passedTests === run.totalTests;

export function renderJunit(results: readonly SuiteResult[]): string {
  const suites = results.map(({ suiteName, run: { name, attempts } }) => {
    const cases = attempts.map((attempt) => renderTestCase(suiteName, attempt));
    return [
      `  <testsuite name="${escapeXml(suiteName)}" ${counts(attempts)} ${skipped(attempts)} time="${seconds(attempts)}">`,
      `    <properties><property name="run" value="${escapeXml(name)}"/></properties>`,
      ...cases,
      "  </testsuite>",
    ].join("\n");
  });
  const all = results.flatMap(({ run }) => run.attempts);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts(all)} time="${seconds(all)}">\n${suites.join("\n")}\n</testsuites>\n`;
}

function renderTestCase(suiteName: string, attempt: TestAttempt): string {
  const { testCaseName, attemptNumber, result, transcript } = attempt;
  const name = `${testCaseName}, attempt ${attemptNumber}`;
  const said = transcript
    .map(({ type, role, toolName, text }) => `${role ?? toolName ?? type}: ${text}`)
    .join("\n");
  const reason = escapeXml(reasonOf(attempt));
  const outcome = {
    pass: "",
    fail: `<failure message="${reason}"/>`,
    error: `<error message="${reason}"/>`,
    cancelled: "<skipped/>",
    none: '<error message="The run ended before this attempt."/>',
  }[result ?? "none"];
  return (
    `    <testcase classname="${escapeXml(suiteName)}" name="${escapeXml(name)}" time="${seconds([attempt])}">` +
    `${outcome}<system-out>${escapeXml(said)}</system-out></testcase>`
  );
}

function counts(attempts: readonly TestAttempt[]): string {
  return `tests="${attempts.length}" failures="${count(attempts, "fail")}" errors="${count(attempts, "error", null)}"`;
}

/** The schema has this attribute for single suites only. */
const skipped = (attempts: readonly TestAttempt[]): string => `skipped="${count(attempts, "cancelled")}"`;

function count(attempts: readonly TestAttempt[], ...results: readonly TestAttempt["result"][]): number {
  return attempts.filter(({ result }) => results.includes(result)).length;
}

/** Durations added up, as JUnit expects. */
function seconds(attempts: readonly TestAttempt[]): string {
  const ms = attempts.reduce((sum, { startedAt, completedAt }) => {
    const isTimed = startedAt !== null && completedAt !== null;
    return sum + (isTimed ? Date.parse(completedAt) - Date.parse(startedAt) : 0);
  }, 0);
  return (ms / 1000).toFixed(3);
}

/** Why an attempt has its result: the assertions that do not hold, and the reasons of the judge. */
export function reasonOf({ reasoning, assertions }: TestAttempt): string {
  const failed = assertions.filter(({ passed }) => !passed).map(({ detail }) => detail);
  const isRepeated = failed.every((detail) => reasoning?.includes(detail) === true);
  return [...(isRepeated ? [] : failed), ...(reasoning === null ? [] : [reasoning])].join(" ");
}

export function renderMarkdown(results: readonly SuiteResult[]): string {
  return `${results.map(renderSuite).join("\n\n")}\n`;
}

function renderSuite(result: SuiteResult): string {
  const { suiteName, run } = result;
  const { environment, configurationRevision, passedTests, totalTests, attempts } = run;
  const revision = configurationRevision === null ? "" : `, revision ${configurationRevision}`;
  const rows = attempts.map(
    (attempt) =>
      `| ${cell(attempt.testCaseName)} | ${attempt.attemptNumber} | ${attempt.result ?? "no result"} | ${cell(reasonOf(attempt))} |`,
  );
  return [
    `## ${hasPassed(result) ? "Passed" : "Failed"}: ${cell(suiteName)}`,
    "",
    `${passedTests} of ${totalTests} cases passed (${environment ?? "draft"}${revision}; ${cell(run.name)}).`,
    "",
    "| Case | Attempt | Result | Reason |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Text of a table or heading: no line break, bar or markup. */
function cell(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const short = line.length > MAX_CELL_CHARACTERS ? `${line.slice(0, MAX_CELL_CHARACTERS)}…` : line;
  return short.toWellFormed().replaceAll(/[\\`*_[\]<>|#~&]/g, "\\$&");
}

/** Characters that XML 1.0 does not allow are left out, line breaks in attributes are kept. */
function escapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    '"': "&quot;",
    "\n": "&#10;",
  };
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[<>&"\n]/g, (character) => names[character] ?? "");
}
