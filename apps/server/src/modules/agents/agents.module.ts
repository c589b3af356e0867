import { listLocalVoices } from "../../inference/local-voice.rules.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { MessagingConnectionsService } from "../messaging-connections/messaging-connections.service.ts";
import type { FoldersService } from "../folders/folders.service.ts";
import type { KnowledgeBasesService } from "../knowledge-bases/knowledge-bases.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { AgentChoices } from "../providers/agent-choices.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { type CustomVoicesService, isCustomVoiceId } from "../voices/custom-voices.service.ts";
import type { AgentDocument } from "./agent-document.rules.ts";
import { AgentWriter } from "./agent-writer.ts";
import { listVoiceChoices } from "./agent-voices.store.ts";
import { bindAgentRoutes } from "./agents.routes.ts";
import { AgentsService } from "./agents.service.ts";
import { fixedSpeechOf } from "./fixed-speech.rules.ts";
import { encryptedDocuments } from "./stored-document.ts";
import { bindCustomToolRoutes } from "./tools/custom-tools.routes.ts";
import { CustomToolsService } from "./tools/custom-tools.service.ts";
import { AgentResolution } from "./versions/agent-resolution.service.ts";
import { AgentSnapshots } from "./versions/snapshots.ts";
import { bindAgentVersionRoutes } from "./versions/agent-versions.routes.ts";
import { AgentVersionsService } from "./versions/agent-versions.service.ts";
import { bindEnvironmentRoutes } from "./versions/environments.routes.ts";
import { EnvironmentsService } from "./versions/environments.service.ts";

interface Dependencies {
  folders: FoldersService;
  knowledgeBases: KnowledgeBasesService;
  messagingConnections: MessagingConnectionsService;
  sipTrunks: SipTrunksService;
  organizationLimits: OrganizationLimitsService;
  agentChoices: Pick<AgentChoices, "findProblems">;
  customVoices: CustomVoicesService;
}

export function createAgents(
  { config, database, encryption, clock, inference }: NodeResources,
  { customVoices, ...dependencies }: Dependencies,
) {
  /** Queues the audio of fixed speech for synthesis. */
  const prepareSpeech = (document: AgentDocument): void => {
    // Speech of the organization's own voices is prepared by their calls, which name the voice that speaks.
    if (document.voiceId !== null && isCustomVoiceId(document.voiceId)) return;
    const speech = fixedSpeechOf(document, config);
    if (speech !== undefined) inference.prepareSpeech(speech);
  };
  const writer = new AgentWriter(encryption, clock, prepareSpeech);
  const { folders, knowledgeBases, messagingConnections, agentChoices } = dependencies;
  const agents = new AgentsService(database, { ...dependencies, writer, clock });
  const customTools = new CustomToolsService(database, { writer, agents, clock });
  const agentVersions = new AgentVersionsService(database, { writer, agents, agentChoices, clock });
  const environments = new EnvironmentsService(database, { writer, agents, clock });
  const agentResolution = new AgentResolution(database, {
    writer,
    snapshots: new AgentSnapshots(database, writer, clock),
    voices: customVoices,
  });
  folders.deleting.subscribe(async (transaction, { by, folderId }) => {
    await agents.releaseFolder(transaction, by, folderId);
  });
  knowledgeBases.deleting.subscribe(async (transaction, { by, knowledgeBaseId }) => {
    await agents.releaseKnowledgeBase(transaction, by, knowledgeBaseId);
  });
  messagingConnections.deleting.subscribe(
    async (transaction, id) => await agents.requireConnectionUnused(transaction, id),
  );
  return {
    services: { agents, customTools, agentVersions, environments, agentResolution, writer, prepareSpeech },
    encryptedColumns: encryptedDocuments,
    prepare: async () => {
      const voices = listLocalVoices(await listVoiceChoices(database), config);
      inference.useVoices(await customVoices.replaceAll(voices));
    },
    bindRoutes: (app) => {
      bindAgentRoutes(app, agents);
      bindCustomToolRoutes(app, customTools);
      bindAgentVersionRoutes(app, agentVersions);
      bindEnvironmentRoutes(app, environments);
    },
  } satisfies Feature;
}
