/** Emoji and their joiners. Digits, ©, ® and ™, which are emoji only with a variation selector, are kept. */
const EMOJI = /[\p{Emoji_Presentation}\u{1F000}-\u{1FAFF}\u2600-\u27BF]|\uFE0F|\u20E3|\u200D/gu;

/**
 * Turns written text into text to read aloud: removes markup, emoji and link targets, and keeps the words. Pure. Works
 * on one clause, so markup that spans clauses is removed token by token.
 */
export function speakableText(text: string): string {
  return (
    text
      // ![alt](target) and [label](target)
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/<?\bhttps?:\/\/(?:www\.)?([^\s<>]*[^\s<>.,;:!?)/])\/?>?/gi, "$1")
      .replace(/^[ \t]*(?:#{1,6}|>|[-*+•])[ \t]+/gm, "")
      .replace(/^[ \t]*(?:[-*_=][ \t]*){3,}$/gm, "")
      .replace(/```[a-z]*|[`|]|~~/gi, " ")
      .replace(/\*+(?=\S)|(?<=\S)\*+/g, "")
      .replace(/(?<![\p{L}\p{N}])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}])/gu, "")
      .replace(EMOJI, "")
      .replace(/\s+/g, " ")
      .replace(/ (?=[,.;:!?](?:\s|$))/g, "")
      .trim()
  );
}

/** Whether the text contains a letter or a digit. */
export function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
