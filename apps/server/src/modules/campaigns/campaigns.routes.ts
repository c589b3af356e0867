import {
  addCampaignContactsRoute,
  cancelCampaignRoute,
  checkContactsRoute,
  createCampaignRoute,
  deleteCampaignRoute,
  exportCampaignContactsRoute,
  getCampaignActivityRoute,
  getCampaignContactRoute,
  getCampaignRoute,
  listCampaignContactsRoute,
  listCampaignsRoute,
  pauseCampaignRoute,
  resumeCampaignRoute,
  startCampaignRoute,
  updateCampaignRoute,
} from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { CampaignsService } from "./campaigns.service.ts";
import type { ContactsService } from "./contacts/contacts.service.ts";

export function bindCampaignRoutes(app: FastifyInstance, campaigns: CampaignsService): void {
  bindRoute(app, createCampaignRoute, async ({ principal, body }) => ({
    data: await campaigns.create(principal.organizationId, body),
  }));
  bindRoute(app, listCampaignsRoute, async ({ principal, query }) => {
    return await campaigns.list(principal.organizationId, query);
  });
  bindRoute(app, getCampaignRoute, async ({ principal, params }) => ({
    data: await campaigns.get(principal.organizationId, params.id),
  }));
  bindRoute(app, getCampaignActivityRoute, async ({ principal, params }) => ({
    data: await campaigns.readActivity(principal.organizationId, params.id),
  }));
  bindRoute(app, updateCampaignRoute, async ({ principal, params, body }) => ({
    data: await campaigns.update(principal.organizationId, params.id, body),
  }));
  bindRoute(app, startCampaignRoute, async ({ principal, params }) => ({
    data: await campaigns.start(principal.organizationId, params.id, "draft"),
  }));
  bindRoute(app, pauseCampaignRoute, async ({ principal, params }) => ({
    data: await campaigns.pause(principal.organizationId, params.id),
  }));
  bindRoute(app, resumeCampaignRoute, async ({ principal, params }) => ({
    data: await campaigns.start(principal.organizationId, params.id, "paused"),
  }));
  bindRoute(app, cancelCampaignRoute, async ({ principal, params }) => ({
    data: await campaigns.cancel(principal.organizationId, params.id),
  }));
  bindRoute(app, deleteCampaignRoute, async ({ principal, params }) => {
    await campaigns.delete(principal.organizationId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}

export function bindContactRoutes(app: FastifyInstance, contacts: ContactsService): void {
  bindRoute(app, checkContactsRoute, async ({ principal, body }) => ({
    data: await contacts.check(principal.organizationId, body),
  }));
  bindRoute(app, addCampaignContactsRoute, async ({ principal, params, body }) => ({
    data: await contacts.add(principal.organizationId, params.id, body.contacts),
  }));
  bindRoute(app, listCampaignContactsRoute, async ({ principal, params, query }) => {
    return await contacts.list(principal.organizationId, params.id, query);
  });
  bindRoute(app, getCampaignContactRoute, async ({ principal, params }) => ({
    data: await contacts.get(principal.organizationId, params.id, params.contactId),
  }));
  bindRoute(
    app,
    exportCampaignContactsRoute,
    async ({ principal, params }) => await contacts.export(principal.organizationId, params.id),
  );
}
