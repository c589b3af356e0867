import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import {
  closedObject,
  dataOf,
  deletedResponse,
  idSchema,
  ignored,
  nullable,
  pageOf,
  pageQuery,
  timestampSchema,
} from "../schemas.ts";
import { knowledgePassageSchema } from "./knowledge-passage.ts";

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: "\\S",
    description: "Display name.",
    examples: ["Product manual"],
  }),
  description: nullable(
    Type.String({
      maxLength: 2_000,
      description: "What the documents are about. Null: none.",
      examples: ["Prices, opening hours and returns."],
    }),
  ),
};

const knowledgeBaseSchema = Type.Object(
  {
    id: idSchema,
    ...fields,
    documents: Type.Integer({ description: "Number of documents." }),
    passages: Type.Integer({ description: "Number of passages that a search can find." }),
    embeddingModel: Type.String({
      description:
        "Model by which passages are found by their meaning: `local/minilm`, which understands English, or the one that the operator configured.",
      examples: ["local/minilm"],
    }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  },
  { title: "KnowledgeBase", description: "Documents from which agents answer." },
);

export type KnowledgeBase = Static<typeof knowledgeBaseSchema>;

const readOnly = {
  id: ignored,
  documents: ignored,
  passages: ignored,
  embeddingModel: ignored,
  createdAt: ignored,
  updatedAt: ignored,
};

const creationSchema = closedObject(
  { name: fields.name, description: Type.Optional(fields.description), ...readOnly },
  { title: "KnowledgeBaseCreate" },
);
const updateSchema = closedObject(
  { name: Type.Optional(fields.name), description: Type.Optional(fields.description), ...readOnly },
  { title: "KnowledgeBaseUpdate" },
);

export type KnowledgeBaseCreation = Static<typeof creationSchema>;
export type KnowledgeBaseChange = Static<typeof updateSchema>;

const tag = "Knowledge bases";
const params = Type.Object({ id: { ...idSchema, description: "Id of the knowledge base." } });

export const createKnowledgeBaseRoute = defineRoute({
  method: "POST",
  path: "/knowledge-bases",
  operationId: "createKnowledgeBase",
  tag,
  summary: "Create a knowledge base",
  description: "`limit_reached`: the organization's limit `knowledgeBases` is reached.",
  body: creationSchema,
  status: 201,
  response: dataOf(knowledgeBaseSchema),
  errors: ["limit_reached"],
});

export const listKnowledgeBasesRoute = defineRoute({
  method: "GET",
  path: "/knowledge-bases",
  operationId: "listKnowledgeBases",
  tag,
  summary: "List knowledge bases",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(knowledgeBaseSchema),
});

export const getKnowledgeBaseRoute = defineRoute({
  method: "GET",
  path: "/knowledge-bases/{id}",
  operationId: "getKnowledgeBase",
  tag,
  summary: "Get a knowledge base",
  params,
  status: 200,
  response: dataOf(knowledgeBaseSchema),
});

export const updateKnowledgeBaseRoute = defineRoute({
  method: "PATCH",
  path: "/knowledge-bases/{id}",
  operationId: "updateKnowledgeBase",
  tag,
  summary: "Change a knowledge base",
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(knowledgeBaseSchema),
});

export const deleteKnowledgeBaseRoute = defineRoute({
  method: "DELETE",
  path: "/knowledge-bases/{id}",
  operationId: "deleteKnowledgeBase",
  tag,
  summary: "Delete a knowledge base",
  description: "Deletes its documents too.",
  params,
  status: 200,
  response: deletedResponse,
});

export const searchKnowledgeBaseRoute = defineRoute({
  method: "POST",
  path: "/knowledge-bases/{id}/search",
  operationId: "searchKnowledgeBase",
  tag,
  role: "viewer",
  summary: "Search a knowledge base",
  description:
    "Finds passages by meaning and by words, as agents do, best first. `capacity_exceeded`: the search did not answer in time, or too many " +
    "searches wait.",
  params,
  body: closedObject(
    {
      query: Type.String({
        minLength: 1,
        maxLength: 1_000,
        pattern: "\\S",
        description: "Question or words.",
        examples: ["How long do refunds take?"],
      }),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 20, description: "Maximum number of passages. Default: 5." }),
      ),
      threshold: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, description: "Minimum `score` of a passage. Default: 0." }),
      ),
    },
    { title: "KnowledgeSearch" },
  ),
  status: 200,
  response: Type.Object({ data: Type.Array(knowledgePassageSchema) }),
  errors: ["capacity_exceeded"],
  isBillingRequired: true,
  rateLimit: { requests: 300, windowSeconds: 60 },
});
