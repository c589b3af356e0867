/** The steps of a new campaign. */
export const steps = [
  { name: "line", title: "Who calls" },
  { name: "contacts", title: "Contacts" },
  { name: "schedule", title: "When" },
  { name: "pace", title: "Pace and retries" },
  { name: "review", title: "Review" },
] as const;

export type StepName = (typeof steps)[number]["name"];

const stepOfField: Readonly<Record<string, StepName>> = {
  contacts: "contacts",
  callingWindow: "schedule",
  startAt: "schedule",
  retryPolicy: "pace",
  maxConcurrency: "pace",
  callsPerSecond: "pace",
};

/** The step that has the field at a path, such as `callingWindow.end`. */
export function stepOf(path: string): StepName {
  return stepOfField[path.split(".")[0] ?? ""] ?? "line";
}
