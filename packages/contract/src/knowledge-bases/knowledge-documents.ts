import { type Static, Type } from "typebox";
import { defineRoute } from "../route.ts";
import { placeFields } from "./knowledge-passage.ts";
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

/** Types of documents that are uploaded, with the extensions of their names. */
export const documentExtensions = {
  text: ["txt", "text", "log"],
  markdown: ["md", "markdown", "mdx"],
  html: ["html", "htm", "xhtml"],
  csv: ["csv", "tsv"],
  pdf: ["pdf"],
  docx: ["docx"],
} as const satisfies Record<string, readonly string[]>;

export const documentTypes = ["text", "markdown", "html", "csv", "pdf", "docx"] as const;
export type DocumentType = (typeof documentTypes)[number];

/** Types of all documents: a website is read from its address. */
export const storedDocumentTypes = [...documentTypes, "website"] as const;
export type StoredDocumentType = (typeof storedDocumentTypes)[number];

export const documentStatuses = ["queued", "processing", "ready", "failed"] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

export const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024;
export const MAX_WEBSITE_PAGES = 100;
const BODY_LIMIT_BYTES = 21 * 1024 * 1024;

const nameSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "\\S",
  description: "Name, such as the file's.",
  examples: ["returns.md"],
});

const websiteSchema = Type.Object(
  {
    url: Type.String({ description: "Address of the first page.", examples: ["https://example.com/help"] }),
    maxPages: Type.Integer({ description: "Maximum number of pages that are read." }),
    pages: Type.Integer({
      description: "Number of pages read: the progress while the status is `processing`.",
    }),
    problems: Type.Array(
      Type.Object({
        url: Type.String({ description: "Address of the page." }),
        reason: Type.String({ description: "Why it was not read.", examples: ["The server answered 404."] }),
      }),
      { description: "Pages that were not read, at most 20." },
    ),
    syncedAt: nullable({ ...timestampSchema, description: "When the website was last read. Null: not yet." }),
  },
  { title: "KnowledgeWebsite", description: "Pages of a website from which a document was made." },
);

export type KnowledgeWebsite = Static<typeof websiteSchema>;

export const MAX_RESYNC_INTERVAL_HOURS = 720;

const resyncIntervalSchema = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_RESYNC_INTERVAL_HOURS,
    description: "Hours after which a website is read again. Null: only when `sync` is called.",
    examples: [24],
  }),
);

const documentFields = {
  id: idSchema,
  knowledgeBaseId: idSchema,
  name: nameSchema,
  type: Type.Enum([...storedDocumentTypes]),
  status: Type.Enum([...documentStatuses], {
    description:
      "`queued`: waits for its turn. `processing`: is read and embedded. `ready`: a search finds its passages. `failed`: see `statusReason`.",
  }),
  statusReason: nullable(
    Type.String({
      description:
        "Why the status is `failed`, and what to do; or what `processing` waits for. Null otherwise.",
    }),
  ),
  passages: Type.Integer({ description: "Number of passages. 0 until the document was read." }),
  embeddedPassages: Type.Integer({
    description:
      "Number of passages that are ready to be searched: the progress while the status is `processing`.",
  }),
  bytes: Type.Integer({ description: "Size of the upload, or of the pages that were read." }),
  website: nullable(websiteSchema),
  resyncIntervalHours: resyncIntervalSchema,
  nextSyncAt: nullable({
    ...timestampSchema,
    description:
      "When the website is due to be read again; it waits behind other documents of the organization. Null: not scheduled.",
  }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
};

const documentSchema = Type.Object(documentFields, {
  title: "KnowledgeDocument",
  description: "A document of a knowledge base.",
});

export type KnowledgeDocument = Static<typeof documentSchema>;

const tag = "Knowledge bases";
const baseParams = Type.Object({ id: { ...idSchema, description: "Id of the knowledge base." } });
const params = Type.Object({
  id: { ...idSchema, description: "Id of the knowledge base." },
  documentId: { ...idSchema, description: "Id of the document." },
});

export const createKnowledgeDocumentRoute = defineRoute({
  method: "POST",
  path: "/knowledge-bases/{id}/documents",
  operationId: "createKnowledgeDocument",
  tag,
  summary: "Add a document",
  description:
    "Adds a text, Markdown, HTML, CSV, PDF or Word (.docx) file of at most 20 MiB; text is in UTF-8. It is divided into passages at its headings and paragraphs " +
    "(a table at its rows), and each passage is embedded by a local model, which is made for English. Watch `status` and " +
    "`embeddedPassages`.\n\n`limit_reached`: the organization's limit `knowledgeDocuments` is reached.",
  params: baseParams,
  body: closedObject(
    {
      name: nameSchema,
      type: Type.Optional(
        Type.Enum([...documentTypes], {
          description:
            "Type of the file. Default: by the extension of `name` (`md`, `html`, `csv`, `pdf`, `docx`), else `text`.",
        }),
      ),
    },
    { title: "KnowledgeDocumentCreate" },
  ),
  file: {
    part: "document",
    maxBytes: MAX_DOCUMENT_BYTES,
    description: "The file, at most 20 MiB.",
  },
  status: 201,
  response: dataOf(documentSchema),
  errors: ["limit_reached"],
  bodyLimitBytes: BODY_LIMIT_BYTES,
  rateLimit: { requests: 120, windowSeconds: 60 },
});

export const addKnowledgeWebsiteRoute = defineRoute({
  method: "POST",
  path: "/knowledge-bases/{id}/websites",
  operationId: "addKnowledgeWebsite",
  tag,
  summary: "Add a website",
  description:
    "Makes a document from a web page and the pages of the same origin that it leads to, as far as the site's robots.txt allows (user agent " +
    "`Parley`). HTML, PDF, Word, CSV, Markdown and text are read, each with at most 5 MiB. Addresses that are not public are refused when " +
    "they are read. Watch `status` and `website.pages`.\n\n`limit_reached`: the organization's limit `knowledgeDocuments` is reached.",
  params: baseParams,
  body: closedObject(
    {
      url: Type.String({
        maxLength: 2_000,
        pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s]+$",
        description: "Address of the first page: http or https, without a user name.",
        examples: ["https://example.com/help"],
      }),
      maxPages: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_WEBSITE_PAGES,
          description: "Maximum number of pages, the nearest to the first page first. Default: 1.",
        }),
      ),
      name: Type.Optional({ ...nameSchema, description: "Name. Default: host and path of the address." }),
      resyncIntervalHours: Type.Optional(resyncIntervalSchema),
    },
    { title: "KnowledgeWebsiteCreate" },
  ),
  status: 201,
  response: dataOf(documentSchema),
  errors: ["limit_reached"],
  rateLimit: { requests: 30, windowSeconds: 60 },
});

export const syncKnowledgeDocumentRoute = defineRoute({
  method: "POST",
  path: "/knowledge-bases/{id}/documents/{documentId}/sync",
  operationId: "syncKnowledgeDocument",
  tag,
  summary: "Read a website again",
  description:
    "Searches find what was read before until the new reading is complete. Pages that have not changed are not embedded again; pages that are " +
    "gone are removed; a page that cannot be reached keeps what was read before. No effect while the website is being read. " +
    "`document_not_website`: the document was uploaded.",
  params,
  status: 200,
  response: dataOf(documentSchema),
  errors: ["document_not_website"],
  rateLimit: { requests: 30, windowSeconds: 60 },
});

export const listKnowledgeDocumentsRoute = defineRoute({
  method: "GET",
  path: "/knowledge-bases/{id}/documents",
  operationId: "listKnowledgeDocuments",
  tag,
  summary: "List documents",
  params: baseParams,
  query: closedObject({
    ...pageQuery,
    status: Type.Optional(
      Type.Enum([...documentStatuses], { description: "Only documents of this status." }),
    ),
  }),
  status: 200,
  response: pageOf(documentSchema),
});

export const getKnowledgeDocumentRoute = defineRoute({
  method: "GET",
  path: "/knowledge-bases/{id}/documents/{documentId}",
  operationId: "getKnowledgeDocument",
  tag,
  summary: "Get a document",
  params,
  status: 200,
  response: dataOf(documentSchema),
});

export const updateKnowledgeDocumentRoute = defineRoute({
  method: "PATCH",
  path: "/knowledge-bases/{id}/documents/{documentId}",
  operationId: "updateKnowledgeDocument",
  tag,
  summary: "Change a document",
  description:
    "Changes its name, or how often a website is read again: for the first time after that many hours. `document_not_website`: " +
    "`resyncIntervalHours` is set for an upload.",
  params,
  body: closedObject(
    {
      name: Type.Optional(nameSchema),
      resyncIntervalHours: Type.Optional(resyncIntervalSchema),
      ...Object.fromEntries(
        Object.keys(documentFields)
          .filter((name) => name !== "name" && name !== "resyncIntervalHours")
          .map((name) => [name, ignored]),
      ),
    },
    { title: "KnowledgeDocumentUpdate" },
  ),
  status: 200,
  response: dataOf(documentSchema),
  errors: ["document_not_website"],
});

export const deleteKnowledgeDocumentRoute = defineRoute({
  method: "DELETE",
  path: "/knowledge-bases/{id}/documents/{documentId}",
  operationId: "deleteKnowledgeDocument",
  tag,
  summary: "Delete a document",
  description: "Searches no longer find its passages. Its file is deleted soon after.",
  params,
  status: 200,
  response: deletedResponse,
});

const documentPassageSchema = Type.Object(
  {
    ...placeFields,
    text: Type.String({ description: "Text of the passage." }),
    isEmbedded: Type.Boolean({ description: "Whether the passage is ready to be searched." }),
  },
  { title: "KnowledgeDocumentPassage", description: "Part of a document." },
);

export type KnowledgeDocumentPassage = Static<typeof documentPassageSchema>;

export const listKnowledgeDocumentPassagesRoute = defineRoute({
  method: "GET",
  path: "/knowledge-bases/{id}/documents/{documentId}/passages",
  operationId: "listKnowledgeDocumentPassages",
  tag,
  summary: "List the passages of a document",
  description:
    "Returns the passages in their order in the document by default. Empty until the document was read.",
  params,
  query: closedObject({
    ...pageQuery,
    sort: Type.Enum(["asc", "desc"], { default: "asc", description: "Order by place in the document." }),
  }),
  status: 200,
  response: pageOf(documentPassageSchema),
});
