import { Type } from "typebox";

const MAX_CHAT_MESSAGE_CHARACTERS = 4000;

export const chatMessageTextSchema = Type.String({
  minLength: 1,
  maxLength: MAX_CHAT_MESSAGE_CHARACTERS,
  pattern: "\\S",
  description: `Text of the message, 1 to ${MAX_CHAT_MESSAGE_CHARACTERS} characters.`,
  examples: ["When are you open?"],
});
