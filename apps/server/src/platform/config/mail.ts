import type { EnvironmentReader } from "./environment-reader.ts";

/** Settings of outgoing e-mail. */
export interface MailConfig {
  /** `smtp://` or `smtps://`, with the credentials of the server. */
  smtpUrl: string;
  from: string;
}

/** `undefined`: the server sends no mail. */
export function readMail(reader: EnvironmentReader): MailConfig | undefined {
  const smtpUrl = reader.url("PARLEY_SMTP_URL", ["smtp:", "smtps:"]);
  return smtpUrl === undefined
    ? undefined
    : { smtpUrl, from: reader.requiredText("PARLEY_MAIL_FROM", "PARLEY_SMTP_URL") };
}
