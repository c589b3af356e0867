import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "./house.css";
import { MantineProvider } from "@mantine/core";
import { RouterProvider } from "@tanstack/react-router";
import { type ComponentType, lazy, Suspense } from "react";
import { messages } from "../ui/toast.ts";
import { styleNonce } from "./nonce.ts";
import { router } from "./router.tsx";
import { SessionProvider } from "./session/session.tsx";
import { cssVariables, theme } from "./theme.ts";

const Messages = lazy(
  async () =>
    await messages.then<{ default: ComponentType }, { default: ComponentType }>(
      ({ Messages: component }) => ({ default: component }),
      // The server is away or was updated: the page shows its own error.
      () => ({ default: () => null }),
    ),
);

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <Suspense>
        <Messages />
      </Suspense>
      <SessionProvider>
        <RouterProvider router={router} />
      </SessionProvider>
    </MantineProvider>
  );
}
