import type { Texts } from "../texts/wording.ts";

interface SpeakerProps {
  role: "user" | "agent";
  texts: Texts;
}

/** Side of a message, for screen readers. Outside the message's text, whose direction it must not decide. */
export function Speaker({ role, texts }: SpeakerProps) {
  return <span class="unseen">{role === "user" ? texts.you : texts.assistant} </span>;
}
