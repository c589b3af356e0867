/** Schemas that several groups of an agent's fields share. */
import { Type } from "typebox";
import { nullable } from "../../schemas.ts";

export function textSchema(description: string, maxLength = 4_000) {
  return nullable(Type.String({ maxLength, description }));
}

export function promptSchema(description: string) {
  return nullable(Type.String({ maxLength: 100_000, description }));
}

export function wordsSchema(options: object) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100, ...options });
}

/** What does not parse as a URL is refused as well. */
export function webUrlSchema(description: string) {
  return nullable(Type.String({ maxLength: 2_048, pattern: "^https?://\\S+$", description }));
}

/** An object that is kept as it is. */
export function freeObjectSchema(description: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description });
}

/** Seconds that a dial or the wait for somebody may take. */
export function waitSecondsSchema(description: string) {
  return Type.Integer({ minimum: 5, maximum: 120, description });
}
