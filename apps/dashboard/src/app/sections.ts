/** A part of the dashboard, named by the first segment of its paths. */
export interface Section {
  path: `/${string}`;
  /** Text in the navigation. `undefined`: the section is reached in another way. */
  label: string | undefined;
  /** True: the navigation shows it to operators of the installation only. */
  isForOperators?: true;
}

/**
 * All sections, in the order of the navigation. The server answers their paths, and all below, with the dashboard; the
 * navigation shows those with a label (navigation.tsx gives each its icon).
 */
export const sections = [
  { path: "/overview", label: "Overview" },
  { path: "/agents", label: "Agents" },
  { path: "/voices", label: "Voices" },
  { path: "/knowledge-bases", label: "Knowledge" },
  { path: "/calls", label: "Calls" },
  { path: "/test-suites", label: "Test suites" },
  { path: "/campaigns", label: "Campaigns" },
  { path: "/messages", label: "Messages" },
  { path: "/customers", label: "Customers" },
  { path: "/phone-numbers", label: "Phone numbers" },
  { path: "/sip-trunks", label: "SIP trunks" },
  { path: "/messaging-connections", label: "Messaging" },
  { path: "/try", label: "Talk to an agent" },
  { path: "/settings", label: "Settings" },
  { path: "/operator", label: "Operator", isForOperators: true },
  { path: "/docs", label: "API reference" },
  { path: "/account", label: undefined },
  { path: "/sign-in", label: undefined },
  { path: "/sign-up", label: undefined },
  { path: "/accept-invitation", label: undefined },
  { path: "/reset-password", label: undefined },
] as const satisfies readonly Section[];

export type SectionPath = (typeof sections)[number]["path"];
