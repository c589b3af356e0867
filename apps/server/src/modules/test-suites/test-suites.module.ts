import { chooseLanguageModel } from "../../platform/config/choose-language-model.ts";
import type { Queries } from "../../platform/database/database.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import { OutboundClient } from "../../platform/outbound-http/outbound-client.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { AgentVersionsService } from "../agents/versions/agent-versions.service.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { AnalysisModels } from "../analysis/analysis-models.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { ReplyFailureLog } from "../conversations/text/reply-failures.ts";
import { TextModels } from "../conversations/text/text-models.ts";
import type { Feature, NodeResources } from "../feature.ts";
import type { KnowledgeSearch } from "../knowledge-bases/search/knowledge-search.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import type { LoopbackCallsService } from "../phone-calls/loopback/loopback-calls.service.ts";
import type { ModelChoices } from "../providers/agent-choices.ts";
import type { ToolSigning } from "../webhooks/signing/tool-signing.ts";
import type { AttemptCarrier } from "./engine/attempt-carrier.ts";
import { AttemptClaims } from "./engine/attempt-claims.ts";
import { AttemptRunner, type AttemptRunnerOptions } from "./engine/attempt-runner.ts";
import { AttemptVerdicts, type UseJudgeModel } from "./engine/attempt-verdicts.ts";
import { createTester } from "./engine/tester.ts";
import { needsTester } from "./test-cases.rules.ts";
import { PastCalls } from "./past-calls.ts";
import { TestCasesService } from "./test-cases.service.ts";
import { CANCELLED_RUNS_TOPIC, TEST_RUNS_TOPIC, TestRunsService } from "./test-runs.service.ts";
import { bindTestCaseRoutes, bindTestRunRoutes, bindTestSuiteRoutes } from "./test-suites.routes.ts";
import { requireReleaseGates } from "./release-gate.ts";
import { TestSuitesService } from "./test-suites.service.ts";
import { TextAttempts } from "./text/text-attempts.ts";
import { VoiceAttempts } from "./voice/voice-attempts.ts";

/** Attempts at once on a node, of all modes. */
const MAX_ATTEMPTS = 64;

interface Dependencies {
  agents: AgentsService;
  agentVersions: Pick<AgentVersionsService, "publishing">;
  agentChoices: ModelChoices;
  agentResolution: AgentResolution;
  calls: CallsService;
  loopbackCalls: LoopbackCallsService;
  conversations: ConversationsService;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
  replyFailures: ReplyFailureLog;
  providerKeys: ProviderKeysService;
  toolSigning: ToolSigning;
  knowledgeSearch: KnowledgeSearch;
}

export function createTestSuites(node: NodeResources, dependencies: Dependencies) {
  const { database, bus, clock, config, logger } = node;
  const { carriers, testAttempts, closeModels } = createEngine(node, dependencies);
  const hasLanguageModel = async (organizationId: string, llmModel: string, queries: Queries) => {
    const settings = (await dependencies.providerKeys.findOwn(organizationId, queries)) ?? config;
    return chooseLanguageModel(settings, llmModel).provider !== "builtin-responder";
  };
  const testSuites = new TestSuitesService(database, { ...dependencies, clock });
  const testCases = new TestCasesService(database, { ...dependencies, clock });
  const pastCalls = new PastCalls(dependencies);
  const testRuns = new TestRunsService(database, { ...dependencies, bus, clock, hasLanguageModel, carriers });
  dependencies.agentVersions.publishing.subscribe(requireReleaseGates);
  testSuites.deleting.subscribe(
    async (transaction, suiteId) => await testRuns.endAllOf(transaction, suiteId),
  );
  const worker = new DueWorker({
    name: "test attempts",
    claim: async () => await testAttempts.claim(),
    run: async (claimed) => await testAttempts.run(claimed),
    maxRunning: MAX_ATTEMPTS,
    bus,
    topic: TEST_RUNS_TOPIC,
    logger,
  });
  let stopListening = (): void => {};
  const stop = async (): Promise<void> => {
    stopListening();
    testAttempts.close();
    await worker.close();
  };
  return {
    services: { testSuites, testCases, testRuns, testAttempts },
    bindRoutes: (app) => {
      bindTestSuiteRoutes(app, testSuites);
      bindTestCaseRoutes(app, testCases, pastCalls);
      bindTestRunRoutes(app, testRuns);
    },
    start: () => {
      stopListening = bus.subscribe(CANCELLED_RUNS_TOPIC, (runId) => testAttempts.drop(runId));
      worker.start();
    },
    drain: stop,
    close: async () => {
      await stop();
      await closeModels();
    },
  } satisfies Feature;
}

/** Creates what carries and judges attempts, with its language models. */
function createEngine(node: NodeResources, dependencies: Dependencies) {
  const { database, clock, config, logger } = node;
  const outbound = new OutboundClient({ isPrivateAllowed: config.isPrivateWebhookAllowed });
  const models = new TextModels(config, dependencies.providerKeys, node.inference.path);
  const judges = createJudgeModels(node, dependencies);
  const languageModelsFor: TextModels["find"] = async (organizationId, llmModel) =>
    await models.find(organizationId, llmModel);
  const carriers: readonly AttemptCarrier[] = [
    new TextAttempts({ ...dependencies, database, clock, outbound, languageModelsFor }),
    new VoiceAttempts({ ...dependencies, database, config }),
  ];
  const createTesterOf: AttemptRunnerOptions["createTester"] = async (organizationId, { run, testCase }) => {
    const { definition, variables } = testCase;
    const chain = needsTester(definition)
      ? await languageModelsFor(organizationId, run.testerModel)
      : undefined;
    return createTester(definition, { variables, models: chain, isSpoken: run.mode === "voice" });
  };
  const testAttempts = new AttemptRunner({
    ...dependencies,
    database,
    clock,
    logger,
    carriers,
    claims: new AttemptClaims(database, { ...dependencies, clock }),
    verdicts: new AttemptVerdicts({ useModel: judges.use, clock }),
    createTester: createTesterOf,
  });
  const closeModels = async (): Promise<void> => {
    await outbound.close();
    await models.close();
    await judges.close();
  };
  return { carriers, testAttempts, closeModels };
}

/** The language models of judges and extractions, with their deadlines. Opened at the first use. */
function createJudgeModels(
  { config, inference }: NodeResources,
  { providerKeys }: Dependencies,
): { use: UseJudgeModel; close: () => Promise<void> } {
  let opened: Promise<AnalysisModels> | undefined;
  const open = async (): Promise<AnalysisModels> => {
    const analysis = await import("../analysis/analysis-models.ts");
    return new analysis.AnalysisModels(config, providerKeys, inference.path);
  };
  return {
    use: async (organizationId, llmModel) => {
      const lease = await (await (opened ??= open())).use(organizationId, llmModel);
      return lease && { model: lease.set.find(llmModel), release: lease.release };
    },
    close: async () => await (await opened)?.close(),
  };
}
