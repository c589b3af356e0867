import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { dataOf, nullable, timestampSchema } from "../schemas.ts";
import { operated } from "./organizations.ts";

export const nodeStates = ["starting", "ready", "full", "draining", "silent"] as const;

const nodeSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the node, new at each of its starts." }),
    state: Type.Enum([...nodeStates], {
      description:
        "`ready`: takes calls. `full`: has no free place. `draining`: ends, and finishes its calls. `starting`: not ready yet. `silent`: has missed heartbeats, and gets no calls; after 10 seconds it counts as lost.",
    }),
    activeCalls: Type.Integer({ minimum: 0, description: "Calls on the node." }),
    freePlaces: Type.Integer({ minimum: 0, description: "Calls that the node can still take." }),
    processorLoad: nullable(
      Type.Number({
        minimum: 0,
        description:
          "Average of the last minute of processes that run or wait for a processor, per processor: above 1 they wait. Null: unknown.",
        examples: [0.35],
      }),
    ),
    version: nullable(
      Type.String({
        description: "Version of Parley on the node, with the commit if it is known. Null: unknown.",
        examples: ["0.1.0+3f9c2ab"],
      }),
    ),
    httpAddress: Type.String({ description: "URL of the node for other nodes." }),
    sipAddress: Type.String({ description: "SIP address of the node for other nodes." }),
    startedAt: timestampSchema,
    beatAt: { ...timestampSchema, description: "Time of the last heartbeat. One is due every 2 seconds." },
  },
  { title: "OperatedNode", description: "A node as of its last heartbeat." },
);

export type OperatedNode = Static<typeof nodeSchema>;

export const listNodesRoute = defineRoute({
  ...operated,
  method: "GET",
  path: "/nodes",
  operationId: "listNodes",
  summary: "List the nodes with their load",
  status: 200,
  response: dataOf(Type.Array(nodeSchema)),
});

const installationSchema = Type.Object(
  {
    version: Type.String({
      description: "Version of Parley on the node that answers, with the commit if it is known.",
    }),
    nodejsVersion: Type.String({ description: "Version of Node.js.", examples: ["24.21.0"] }),
    postgresVersion: Type.String({ description: "Version of PostgreSQL.", examples: ["18.1"] }),
    isDatabaseEmbedded: Type.Boolean({ description: "Whether PostgreSQL is the one that Parley starts." }),
  },
  { title: "Installation", description: "Versions of the programs of this installation." },
);

export type Installation = Static<typeof installationSchema>;

export const getInstallationRoute = defineRoute({
  ...operated,
  method: "GET",
  path: "/installation",
  operationId: "getInstallation",
  summary: "Get the versions of the installation",
  status: 200,
  response: dataOf(installationSchema),
});
