import { type Static, Type } from "typebox";
import { idSchema, nullable } from "../schemas.ts";

/** Place in a document at which a passage is. */
export const placeFields = {
  heading: Type.String({
    description:
      "Headings above the passage, from the highest to the lowest, separated by ` › `. Empty: none.",
    examples: ["Returns › Refunds"],
  }),
  page: nullable(
    Type.Integer({ description: "Page on which the passage begins. Null: the type has no pages." }),
  ),
  row: nullable(
    Type.Integer({ description: "First row of the passage in a table. Null: it is not from a table." }),
  ),
  url: nullable(Type.String({ description: "Address of the web page. Null: the document is no website." })),
};

/** A passage that a search found, as a transcript shows it too. */
export const knowledgePassageSchema = Type.Object(
  {
    knowledgeBaseId: idSchema,
    documentId: idSchema,
    documentName: Type.String({ description: "Name of the document.", examples: ["returns.md"] }),
    ...placeFields,
    text: Type.String({ description: "Text of the passage." }),
    score: Type.Number({
      description:
        "Similarity from 0 to 1: the cosine similarity in meaning, plus up to 0.25 for the share of the query's words in the passage.",
      examples: [0.62],
    }),
  },
  { title: "KnowledgePassage", description: "Part of a document that a search found." },
);

export type KnowledgePassage = Static<typeof knowledgePassageSchema>;
