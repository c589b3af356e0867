import { createRoot } from "react-dom/client";
import "../ui/base.css";
import { storeKey, storedKey, takeFragment } from "./api-key.ts";
import { TryPage } from "./try-page.tsx";
import "./try.css";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");

const { apiKey, agentId } = takeFragment();
if (apiKey !== undefined) storeKey(apiKey);

createRoot(root).render(
  <TryPage baseUrl={`${location.origin}/v1`} initialKey={apiKey ?? storedKey()} initialAgentId={agentId} />,
);
