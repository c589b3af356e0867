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

/** Text that does not parse as a URL is rejected by the agents feature. */
export function webUrlSchema(description: string) {
  return nullable(Type.String({ maxLength: 2_048, pattern: "^https?://\\S+$", description }));
}

/** Timeout in seconds for a dial or for a wait for a person. */
export function waitSecondsSchema(description: string) {
  return Type.Integer({ minimum: 5, maximum: 120, description });
}
