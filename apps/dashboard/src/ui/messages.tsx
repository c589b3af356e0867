import "@mantine/notifications/styles.layer.css";
import { type NotificationData, Notifications, notifications } from "@mantine/notifications";

const closeButtonProps = { "aria-label": "Close the message" };

/** The place of messages on the screen. */
export function Messages() {
  return <Notifications position="bottom-right" />;
}

export function showMessage(message: NotificationData): void {
  notifications.show({ ...message, closeButtonProps });
}
