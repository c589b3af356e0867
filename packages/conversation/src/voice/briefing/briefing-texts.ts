/** What a person hears before a call is transferred to them, in one language. */
interface BriefingTexts {
  opening: string;
  /** Followed by the caller's words. */
  lastWords: string;
  /** Without the words of an answer, whose echo would answer it. */
  question: string;
}

const ENGLISH: BriefingTexts = {
  opening: "Hello, a caller would like to speak with you.",
  lastWords: "The caller's last words were:",
  question: "Do you take the call? Just answer, or press 1 to take it and 2 to decline.",
};

const BY_LANGUAGE: Readonly<Record<string, BriefingTexts>> = {
  en: ENGLISH,
  de: {
    opening: "Guten Tag, ein Anrufer möchte Sie sprechen.",
    lastWords: "Die letzten Worte des Anrufers waren:",
    question:
      "Nehmen Sie das Gespräch an? Antworten Sie einfach, oder drücken Sie die 1 zum Annehmen und die 2 zum Ablehnen.",
  },
  fr: {
    opening: "Bonjour, une personne souhaite vous parler.",
    lastWords: "Ses derniers mots étaient :",
    question:
      "Prenez-vous l'appel ? Répondez simplement, ou appuyez sur 1 pour le prendre et sur 2 pour refuser.",
  },
  es: {
    opening: "Hola, una persona desea hablar con usted.",
    lastWords: "Sus últimas palabras fueron:",
    question: "¿Acepta la llamada? Conteste sin más, o pulse 1 para aceptarla y 2 para rechazarla.",
  },
  it: {
    opening: "Buongiorno, una persona desidera parlare con lei.",
    lastWords: "Le sue ultime parole sono state:",
    question: "Accetta la chiamata? Risponda semplicemente, o prema 1 per accettarla e 2 per rifiutarla.",
  },
  pt: {
    opening: "Olá, uma pessoa gostaria de falar consigo.",
    lastWords: "As suas últimas palavras foram:",
    question: "Aceita a chamada? Basta responder, ou prima 1 para aceitar e 2 para recusar.",
  },
  nl: {
    opening: "Goedendag, iemand wil u graag spreken.",
    lastWords: "De laatste woorden van de beller waren:",
    question:
      "Neemt u het gesprek aan? Antwoord gewoon, of druk op 1 om aan te nemen en op 2 om te weigeren.",
  },
  pl: {
    opening: "Dzień dobry, ktoś chce z państwem rozmawiać.",
    lastWords: "Ostatnie słowa rozmówcy:",
    question:
      "Czy odbierają państwo rozmowę? Wystarczy odpowiedzieć albo nacisnąć 1, aby odebrać, lub 2, aby odmówić.",
  },
  ja: {
    opening: "お電話をおつなぎしたいお客様がいらっしゃいます。",
    lastWords: "お客様の最後のお言葉です。",
    question:
      "お電話をお受けになりますか。そのままお答えいただくか、お受けになる場合は1を、お断りになる場合は2を押してください。",
  },
  zh: {
    opening: "您好，有一位来电者想与您通话。",
    lastWords: "来电者最后说：",
    question: "您要接听吗？请直接回答，或按1接听，按2拒绝。",
  },
  hi: {
    opening: "नमस्ते, एक कॉल करने वाले आपसे बात करना चाहते हैं।",
    lastWords: "उनके आख़िरी शब्द थे:",
    question: "क्या आप यह कॉल लेंगे? बस जवाब दीजिए, या लेने के लिए 1 और मना करने के लिए 2 दबाइए।",
  },
  ar: {
    opening: "مرحباً، هناك متصل يود التحدث إليك.",
    lastWords: "كانت كلماته الأخيرة:",
    question: "هل تقبل المكالمة؟ أجب مباشرة، أو اضغط 1 للقبول و2 للرفض.",
  },
};

/** Texts of a BCP 47 language; English if there are none for it. */
export function briefingTexts(language: string): BriefingTexts {
  return BY_LANGUAGE[language.split("-")[0]?.toLowerCase() ?? ""] ?? ENGLISH;
}
