/** Converts the part of JSON Schema that the contract uses to TypeScript. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  format?: string;
}

/** Keywords that would give a wrong type if ignored. */
const unsupported = ["allOf", "oneOf", "not", "if", "prefixItems", "$defs"];

/** Names of the contract that have another meaning in TypeScript. */
const renamed: Record<string, string> = { Error: "ErrorBody" };

const primitives: Record<string, string> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** The exported name of a component. */
export function typeName(component: string): string {
  return renamed[component] ?? component;
}

/** The component of a reference. */
export function componentOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** A comment above a declaration; empty without lines. */
export function docComment(lines: readonly string[], indent: string): string {
  const text = lines.flatMap((line) => line.split("\n")).map((line) => line.replaceAll("*/", "*\\/"));
  if (text.length === 0) return "";
  if (text.length === 1) return `${indent}/** ${text[0]} */\n`;
  return `${indent}/**\n${text.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`;
}

/** The exported declaration of a component. */
export function declaration(component: string, schema: Schema): string {
  const name = typeName(component);
  const comment = docComment(describe(schema), "");
  const isInterface = schema.type === "object" && schema.properties !== undefined;
  return isInterface
    ? `${comment}export interface ${name} ${typeOf(schema, "")}\n`
    : `${comment}export type ${name} = ${typeOf(schema, "")};\n`;
}

/** The type of values that match the schema; `indent` is that of the current line. */
export function typeOf(schema: Schema, indent: string): string {
  const unknownWord = unsupported.find((word) => word in schema);
  if (unknownWord !== undefined) throw new Error(`client generator: unsupported keyword ${unknownWord}`);
  if (schema.$ref !== undefined) return typeName(componentOf(schema.$ref));
  if (schema.enum !== undefined) return union(schema.enum.map((each) => JSON.stringify(each)));
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((each) => typeOf(each, indent)));
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? "unknown" : union(types.map((type) => namedType(type, schema, indent)));
}

function namedType(type: string, schema: Schema, indent: string): string {
  if (type === "object") return objectType(schema, indent);
  if (type === "array") {
    const item = typeOf(schema.items ?? {}, indent);
    return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
  }
  if (type === "string" && schema.format === "binary") return "Blob";
  const primitive = primitives[type];
  if (primitive === undefined) throw new Error(`client generator: unsupported type ${type}`);
  return primitive;
}

function objectType(schema: Schema, indent: string): string {
  if (schema.properties === undefined) return mapType(schema, indent);
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties).map(([name, property]) => {
    const isRequired = schema.required?.includes(name) === true;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const comment = docComment(describe(property), inner);
    return `${comment}${inner}${key}${isRequired ? "" : "?"}: ${typeOf(property, inner)};\n`;
  });
  return fields.length === 0 ? "Record<string, never>" : `{\n${fields.join("")}${indent}}`;
}

function mapType({ patternProperties, additionalProperties }: Schema, indent: string): string {
  const values = Object.values(patternProperties ?? {});
  if (typeof additionalProperties === "object") values.push(additionalProperties);
  const value = values.length === 0 ? "unknown" : union(values.map((each) => typeOf(each, indent)));
  return `Record<string, ${value}>`;
}

function describe(schema: Schema): string[] {
  const range = rangeOf(schema);
  const isDefaultSaid = schema.default !== undefined && schema.default !== null;
  return [
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(range === undefined ? [] : [range]),
    ...(isDefaultSaid ? [`@default ${JSON.stringify(schema.default)}`] : []),
  ];
}

function rangeOf({ minimum, maximum }: Schema): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`;
  if (minimum !== undefined) return `At least ${minimum}.`;
  return maximum === undefined ? undefined : `At most ${maximum}.`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}
