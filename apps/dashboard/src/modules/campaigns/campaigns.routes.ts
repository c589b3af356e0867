import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../app/routes.tsx";
import { readChoice, readPage, readText } from "../../ui/search-params.ts";

export const statusNames = ["draft", "scheduled", "running", "paused", "completed", "canceled"] as const;
export const contactStatusNames = ["pending", "calling", "completed", "failed", "canceled"] as const;
export const contactOutcomeNames = [
  "answered",
  "voicemail",
  "no_answer",
  "busy",
  "failed",
  "canceled",
  "do_not_call",
] as const;

interface CampaignsSearch {
  page?: number | undefined;
  status?: (typeof statusNames)[number] | undefined;
}

export interface ContactsSearch {
  page?: number | undefined;
  status?: (typeof contactStatusNames)[number] | undefined;
  outcome?: (typeof contactOutcomeNames)[number] | undefined;
  toNumber?: string | undefined;
}

const campaignsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/campaigns",
  validateSearch: (raw): CampaignsSearch => ({
    page: readPage(raw),
    status: readChoice(raw, "status", statusNames),
  }),
  component: lazyRouteComponent(async () => await import("./campaigns-page.tsx"), "CampaignsPage"),
});

const newCampaignRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/campaigns/new",
  validateSearch: (raw): { copyOf?: string | undefined } => ({ copyOf: readText(raw, "copyOf") }),
  component: lazyRouteComponent(async () => await import("./new/new-campaign-page.tsx"), "NewCampaignPage"),
});

const campaignRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/campaigns/$campaignId",
  component: lazyRouteComponent(async () => await import("./campaign-page.tsx"), "CampaignPage"),
});

const progressRoute = createRoute({
  getParentRoute: () => campaignRoute,
  path: "/",
  component: lazyRouteComponent(async () => await import("./progress/progress-tab.tsx"), "ProgressTab"),
});

const contactsRoute = createRoute({
  getParentRoute: () => campaignRoute,
  path: "/contacts",
  validateSearch: (raw): ContactsSearch => ({
    page: readPage(raw),
    status: readChoice(raw, "status", contactStatusNames),
    outcome: readChoice(raw, "outcome", contactOutcomeNames),
    toNumber: readText(raw, "toNumber"),
  }),
  component: lazyRouteComponent(async () => await import("./contacts/contacts-tab.tsx"), "ContactsTab"),
});

const contactRoute = createRoute({
  getParentRoute: () => campaignRoute,
  path: "/contacts/$contactId",
  component: lazyRouteComponent(async () => await import("./contacts/contact-page.tsx"), "ContactPage"),
});

const addContactsRoute = createRoute({
  getParentRoute: () => campaignRoute,
  path: "/add-contacts",
  component: lazyRouteComponent(
    async () => await import("./contacts/add-contacts-page.tsx"),
    "AddContactsPage",
  ),
});

const settingsRoute = createRoute({
  getParentRoute: () => campaignRoute,
  path: "/settings",
  component: lazyRouteComponent(async () => await import("./settings-tab.tsx"), "SettingsTab"),
});

export const campaignRoutes = [
  campaignsRoute,
  newCampaignRoute,
  campaignRoute.addChildren([progressRoute, contactsRoute, contactRoute, addContactsRoute, settingsRoute]),
] as const;
