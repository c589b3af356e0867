import { Anchor, useComputedColorScheme } from "@mantine/core";
import { storedKey } from "../../app/session/api-key.ts";
import { useSession } from "../../app/session/session.tsx";
import { LoadingPage } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import "./reference-page.css";

/**
 * The reference of the API, a page of the server in a frame: its library writes styles that the dashboard's policy forbids. It
 * sends trial requests with the identity of the dashboard: a session's cookie goes with them, and a key is handed to the frame.
 */
export function ReferencePage() {
  const session = useSession();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  if (session.state === "unknown") return <LoadingPage />;
  const isKeyed = session.state === "signed-in" && session.identity === undefined;
  const apiKey = isKeyed ? storedKey() : undefined;
  return (
    <>
      <PageHeader
        title="API reference"
        description={
          <>
            Every operation, with a form to try it as you are signed in. For generators:{" "}
            <Anchor href="/openapi.json" underline="always">
              openapi.json
            </Anchor>
          </>
        }
      />
      <iframe
        // The frame reads the key once, and follows the scheme.
        key={apiKey ?? ""}
        className="reference-frame"
        title="API reference"
        src={`/reference/${location.hash}`}
        data-scheme={scheme}
        data-api-key={apiKey}
      />
    </>
  );
}
