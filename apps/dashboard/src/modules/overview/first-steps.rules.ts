/** What exists in the organization, as far as the first steps depend on it. */
export interface Beginnings {
  hasTried: boolean;
  hasOwnAgent: boolean;
  hasTrunk: boolean;
  /** A number that is bound to an agent. */
  number: string | undefined;
  hasPhoneCall: boolean;
}

export interface FirstStep {
  title: string;
  text: string;
  /** Text of the button. */
  action: string;
  to: "/try" | "/agents/new" | "/sip-trunks/new" | "/phone-numbers";
  isDone: boolean;
}

/** The way from an empty installation to an agent on the telephone. */
export function firstStepsOf(found: Beginnings): FirstStep[] {
  const { hasTried, hasOwnAgent, hasTrunk, number, hasPhoneCall } = found;
  return [
    {
      title: "Talk to the sample agent",
      text: "In the browser, by microphone. Nothing has to be set up.",
      action: "Talk",
      to: "/try",
      isDone: hasTried,
    },
    {
      title: "Make an agent of your own",
      text: "A name, a greeting and a prompt are enough to begin. Or change the sample.",
      action: "Make one",
      to: "/agents/new",
      isDone: hasOwnAgent,
    },
    {
      title: "Connect a phone number",
      text: hasTrunk
        ? "Your trunk is there. Bind one of its numbers to your agent."
        : "Connect your carrier or PBX, then bind one of its numbers to your agent.",
      action: "Connect",
      to: hasTrunk ? "/phone-numbers" : "/sip-trunks/new",
      isDone: number !== undefined,
    },
    {
      title: "Call it",
      text:
        number === undefined
          ? "Dial the number, or let the agent call you."
          : `Dial ${number}, or let the agent call you.`,
      action: "Place a test call",
      to: "/phone-numbers",
      isDone: hasPhoneCall,
    },
  ];
}
