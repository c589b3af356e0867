import "@mantine/notifications/styles.layer.css";
import { type NotificationData, Notifications, notifications } from "@mantine/notifications";

const closeButtonProps = { "aria-label": "Close the message" };

/** The place of messages on the screen: away from the buttons that save, which are at the bottom. */
export function Messages() {
  return <Notifications position="top-center" />;
}

export function showMessage(message: NotificationData): void {
  notifications.show({ ...message, closeButtonProps });
}
