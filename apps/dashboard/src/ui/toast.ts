import { notifications } from "@mantine/notifications";
import { messageOf } from "./problem.tsx";

const ERROR_MS = 10_000;
const closeButtonProps = { "aria-label": "Close the message" };

/** Short messages at the edge of the screen, read aloud by screen readers. */
export const toast = {
  done(message: string): void {
    notifications.show({ message, color: "house", closeButtonProps });
  },
  /** For actions without a form. A form shows the error in place. */
  failed(error: unknown): void {
    notifications.show({
      title: "That did not work",
      message: messageOf(error),
      color: "red",
      closeButtonProps,
      autoClose: ERROR_MS,
    });
  },
};
