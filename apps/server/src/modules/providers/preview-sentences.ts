import { baseLanguage } from "./languages.rules.ts";

const ENGLISH = "Hello, this is how I sound on the telephone. How can I help you?";

const sentences: Readonly<Record<string, string>> = {
  ar: "مرحباً، هكذا يبدو صوتي على الهاتف. كيف يمكنني مساعدتك؟",
  de: "Hallo, so klinge ich am Telefon. Wie kann ich Ihnen helfen?",
  en: ENGLISH,
  es: "Hola, así sueno por teléfono. ¿En qué puedo ayudarle?",
  fr: "Bonjour, voici ma voix au téléphone. Comment puis-je vous aider ?",
  hi: "नमस्ते, फ़ोन पर मेरी आवाज़ ऐसी सुनाई देती है। मैं आपकी क्या मदद कर सकती हूँ?",
  it: "Buongiorno, questa è la mia voce al telefono. Come posso aiutarla?",
  ja: "こんにちは。電話ではこのような声です。ご用件をお聞かせください。",
  nl: "Hallo, zo klink ik aan de telefoon. Waarmee kan ik u helpen?",
  pl: "Dzień dobry, tak brzmi mój głos przez telefon. W czym mogę pomóc?",
  pt: "Olá, é assim que eu soo ao telefone. Como posso ajudar?",
  zh: "您好，这是我在电话里的声音。请问有什么可以帮您？",
};

/** A sentence to judge a voice by; English for languages without one. */
export function previewSentence(language: string): string {
  return sentences[baseLanguage(language)] ?? ENGLISH;
}
