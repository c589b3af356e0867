import type { NotificationData } from "@mantine/notifications";
import { messageOf } from "./problem.tsx";

const ERROR_MS = 10_000;

let onFirst = (): void => undefined;
const first = new Promise<void>((resolve) => {
  onFirst = resolve;
});

/** Resolves with the library of messages, loaded at the first message: most visits show none. */
export const messages = first.then(async () => await import("./messages.tsx"));

/** Short messages at the edge of the screen, read aloud by screen readers. */
export const toast = {
  done(message: string): void {
    show({ message, color: "house" });
  },
  /** For actions without a form. A form shows the error in place. */
  failed(error: unknown): void {
    show({ title: "That did not work", message: messageOf(error), color: "red", autoClose: ERROR_MS });
  },
};

function show(message: NotificationData): void {
  onFirst();
  messages.then(
    ({ showMessage }) => {
      showMessage(message);
    },
    () => undefined,
  );
}
