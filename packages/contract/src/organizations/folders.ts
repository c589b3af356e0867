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

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: "\\S",
    description: "Display name.",
    examples: ["Sales"],
  }),
  color: nullable(
    Type.String({
      pattern: "^#[0-9A-Fa-f]{6}$",
      description: "Color in hexadecimal. Null: none.",
      examples: ["#2563eb"],
    }),
  ),
};

/** A folder inside its agents. */
export const agentFolderSchema = Type.Object({ id: idSchema, ...fields });

const folderSchema = Type.Object(
  { id: idSchema, ...fields, createdAt: timestampSchema, updatedAt: timestampSchema },
  { title: "Folder", description: "Group of agents." },
);

export type Folder = Static<typeof folderSchema>;

const creationSchema = closedObject(
  {
    name: fields.name,
    color: Type.Optional(fields.color),
    id: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  { title: "FolderCreate" },
);
const updateSchema = closedObject(
  {
    name: Type.Optional(fields.name),
    color: Type.Optional(fields.color),
    id: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  { title: "FolderUpdate" },
);

export type FolderCreation = Static<typeof creationSchema>;
export type FolderChange = Static<typeof updateSchema>;

const params = Type.Object({ id: { ...idSchema, description: "Id of the folder." } });

export const createFolderRoute = defineRoute({
  method: "POST",
  path: "/folders",
  operationId: "createFolder",
  tag: "Folders",
  summary: "Create a folder",
  body: creationSchema,
  status: 201,
  response: dataOf(folderSchema),
});

export const listFoldersRoute = defineRoute({
  method: "GET",
  path: "/folders",
  operationId: "listFolders",
  tag: "Folders",
  summary: "List folders",
  query: closedObject(pageQuery),
  status: 200,
  response: pageOf(folderSchema),
});

export const getFolderRoute = defineRoute({
  method: "GET",
  path: "/folders/{id}",
  operationId: "getFolder",
  tag: "Folders",
  summary: "Get a folder",
  params,
  status: 200,
  response: dataOf(folderSchema),
});

export const updateFolderRoute = defineRoute({
  method: "PATCH",
  path: "/folders/{id}",
  operationId: "updateFolder",
  tag: "Folders",
  summary: "Change a folder",
  params,
  body: updateSchema,
  status: 200,
  response: dataOf(folderSchema),
});

export const deleteFolderRoute = defineRoute({
  method: "DELETE",
  path: "/folders/{id}",
  operationId: "deleteFolder",
  tag: "Folders",
  summary: "Delete a folder",
  description: "The folder's agents are kept, in no folder. A new revision of each agent records the change.",
  params,
  status: 200,
  response: deletedResponse,
});
