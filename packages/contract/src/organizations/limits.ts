import { type Static, Type } from "typebox";
import { keysOf } from "../keys.ts";
import { closedObject, nullable } from "../schemas.ts";

interface LimitDescription {
  default: number;
  /** Default: 0, which allows none. */
  minimum?: number;
  description: string;
}

/** Limits of an organization. The operator can override each one. */
export const organizationLimits = {
  concurrentCalls: {
    default: 200,
    description:
      "Calls at once, over all nodes, from their creation to their end. An inbound call above the limit gets 503, and an operation gets `rate_limited`.",
  },
  callsPerMinute: {
    default: 600,
    description: "Calls that begin within any 60 seconds, refused in the same way.",
  },
  sipTrunks: { default: 100, description: "SIP trunks." },
  agents: { default: 1_000, description: "Agents." },
  phoneNumbers: { default: 1_000, description: "Phone numbers." },
  messagingConnections: { default: 100, description: "Messaging connections." },
  voices: { default: 100, description: "Voices that the organization created." },
  knowledgeBases: { default: 100, description: "Knowledge bases." },
  knowledgeDocuments: { default: 5_000, description: "Documents of all knowledge bases together." },
  knowledgePassages: {
    default: 100_000,
    description:
      "Passages of all documents together. A document that does not fit gets the status `failed`. A search holds about 1.6 kB of memory for each.",
  },
  campaigns: { default: 1_000, description: "Campaigns, ended ones included." },
  contactsPerCampaign: { default: 1_000_000, description: "Contacts of one campaign." },
  testSuites: { default: 1_000, description: "Test suites." },
  testCasesPerSuite: { default: 500, description: "Cases of one test suite." },
  concurrentTestAttempts: {
    default: 50,
    minimum: 1,
    description: "Attempts of test runs at once, over all nodes. Further attempts wait.",
  },
  doNotCallNumbers: { default: 1_000_000, description: "Numbers on the do-not-call list." },
  reanalysesPerHour: {
    default: 120,
    description: "Requests to repeat an analysis that are accepted within any 60 minutes.",
  },
  concurrentRequests: {
    default: 8,
    minimum: 1,
    description:
      "API requests at once per node. Ten times as many wait for their turn; a further one gets `rate_limited`.",
  },
  requestsPerSecond: {
    default: 100,
    minimum: 1,
    description:
      "API requests per second and node, after a burst of as many as in a quarter of a second. Further ones wait for their turn, as those above `concurrentRequests` do.",
  },
  chatMessagesPerMinute: {
    default: 6_000,
    description: "Messages of widget visitors within any 60 seconds. A further one gets `rate_limited`.",
  },
  concurrentWebhooks: {
    default: 5,
    minimum: 1,
    description: "Deliveries of webhooks at once per node. Further deliveries wait.",
  },
  concurrentJobs: {
    default: 3,
    minimum: 1,
    description: "Analyses of calls at once per node. Further analyses wait.",
  },
} as const satisfies Record<string, LimitDescription>;

export type OrganizationLimit = keyof typeof organizationLimits;

export type OrganizationLimits = Record<OrganizationLimit, number>;

/** Limits that differ from the defaults. */
export type LimitOverrides = Partial<OrganizationLimits>;

/** Largest value of a limit. */
export const MAX_LIMIT = 1_000_000;

const names = keysOf(organizationLimits);

function describe(name: OrganizationLimit) {
  const { description, default: value, minimum = 0 }: LimitDescription = organizationLimits[name];
  return Type.Integer({
    minimum,
    maximum: MAX_LIMIT,
    description: `${description} Default: ${value}.`,
    examples: [value],
  });
}

function ofEach<T>(schemaOf: (name: OrganizationLimit) => T): Record<OrganizationLimit, T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `names` are the keys of the table
  return Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Record<OrganizationLimit, T>;
}

export const limitsSchema = Type.Object(ofEach(describe), {
  title: "OrganizationLimits",
  description: "Limits that apply to the organization. Only the operator changes them.",
});

/** Those limits that the operator has set. */
export const limitOverridesSchema = Type.Object(
  ofEach((name) => Type.Optional(describe(name))),
  {
    title: "LimitOverrides",
    description: "Limits that the operator has set; the others have their defaults.",
  },
);

/** Null resets a limit to its default. */
export const limitsUpdateSchema = closedObject(
  ofEach((name) => Type.Optional(nullable(describe(name)))),
  {
    title: "OrganizationLimitsUpdate",
    description: "Absent limits stay; null resets a limit to its default.",
  },
);

export type LimitsUpdate = Static<typeof limitsUpdateSchema>;
