import type { MailConfig } from "../config/mail.ts";
import { forbidInTransaction } from "../database/transaction-scope.ts";

/** For each step: to connect, the greeting, and silence afterwards. */
const STEP_DEADLINE_MS = 5_000;

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

/** Sends e-mail by the operator's SMTP server. */
export class Mailer {
  readonly #config: MailConfig | undefined;

  /** @param config `undefined`: no mail can be sent. */
  constructor(config: MailConfig | undefined) {
    this.#config = config;
  }

  get isConfigured(): boolean {
    return this.#config !== undefined;
  }

  /** Rejects if the server does not take the mail. */
  async send(mail: Mail): Promise<void> {
    forbidInTransaction("an SMTP server");
    if (this.#config === undefined) throw new Error("no SMTP server is configured");
    const { smtpUrl: url, from } = this.#config;
    // Loaded on demand, because it is rarely used.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      url,
      connectionTimeout: STEP_DEADLINE_MS,
      greetingTimeout: STEP_DEADLINE_MS,
      socketTimeout: STEP_DEADLINE_MS,
      dnsTimeout: STEP_DEADLINE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      // An address as an object is one recipient, regardless of its content.
      await transport.sendMail({ ...mail, from, to: { name: "", address: mail.to } });
    } finally {
      transport.close();
    }
  }
}
