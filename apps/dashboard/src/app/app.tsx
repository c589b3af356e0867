import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "./house.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { RouterProvider } from "@tanstack/react-router";
import { styleNonce } from "./nonce.ts";
import { router } from "./router.tsx";
import { SessionProvider } from "./session/session.tsx";
import { cssVariables, theme } from "./theme.ts";

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <Notifications position="bottom-right" />
      <SessionProvider>
        <RouterProvider router={router} />
      </SessionProvider>
    </MantineProvider>
  );
}
