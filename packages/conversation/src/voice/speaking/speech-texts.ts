/** What the agent says without its model, in the language of the call. */
export interface StandardTexts {
  /** Said before a call ends because a provider failed. */
  apology: string;
  /** Said when the caller's words were lost. */
  repeatRequest: string;
  /** Said in this order while an answer takes long. */
  fillers: readonly [string, string, string];
}

const ENGLISH: StandardTexts = {
  apology: "I'm sorry, I'm having technical difficulties. Please try again later. Goodbye.",
  repeatRequest: "I'm sorry, could you say that again?",
  fillers: [
    "One moment, please.",
    "I'm still here, just a moment longer.",
    "Thank you for waiting, I'm still on it.",
  ],
};

const BY_LANGUAGE: Readonly<Record<string, StandardTexts>> = {
  en: ENGLISH,
  de: {
    apology:
      "Es tut mir leid, es gibt gerade technische Schwierigkeiten. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.",
    repeatRequest: "Entschuldigung, können Sie das bitte wiederholen?",
    fillers: [
      "Einen Moment, bitte.",
      "Ich bin noch da, es dauert nur noch einen Augenblick.",
      "Danke für Ihre Geduld, ich bin noch dabei.",
    ],
  },
  fr: {
    apology:
      "Je suis désolé, nous rencontrons un problème technique. Veuillez réessayer plus tard. Au revoir.",
    repeatRequest: "Pardon, pourriez-vous répéter ?",
    fillers: [
      "Un instant, s'il vous plaît.",
      "Je suis toujours là, encore un petit instant.",
      "Merci de patienter, je m'en occupe toujours.",
    ],
  },
  es: {
    apology: "Lo siento, tenemos un problema técnico. Por favor, inténtelo más tarde. Adiós.",
    repeatRequest: "Perdone, ¿puede repetirlo?",
    fillers: [
      "Un momento, por favor.",
      "Sigo aquí, solo un momento más.",
      "Gracias por esperar, sigo con ello.",
    ],
  },
  it: {
    apology: "Mi dispiace, abbiamo un problema tecnico. La preghiamo di riprovare più tardi. Arrivederci.",
    repeatRequest: "Mi scusi, può ripetere?",
    fillers: [
      "Un momento, per favore.",
      "Sono ancora qui, solo un altro momento.",
      "Grazie per l'attesa, me ne sto ancora occupando.",
    ],
  },
  pt: {
    apology: "Desculpe, estamos com um problema técnico. Por favor, tente mais tarde. Adeus.",
    repeatRequest: "Desculpe, pode repetir?",
    fillers: [
      "Um momento, por favor.",
      "Ainda estou aqui, só mais um momento.",
      "Obrigado por aguardar, ainda estou a tratar disso.",
    ],
  },
  nl: {
    apology: "Het spijt me, er is een technische storing. Probeert u het later nog eens. Tot ziens.",
    repeatRequest: "Sorry, kunt u dat herhalen?",
    fillers: [
      "Een ogenblikje, alstublieft.",
      "Ik ben er nog, nog heel even geduld.",
      "Bedankt voor het wachten, ik ben er nog mee bezig.",
    ],
  },
};

/** Standard texts of a BCP 47 language; English if there are none for it. */
export function standardTexts(language: string): StandardTexts {
  return BY_LANGUAGE[language.split("-")[0]?.toLowerCase() ?? ""] ?? ENGLISH;
}

/** The texts needed when a voice fails, the most urgent first. */
export function emergencyTexts(language: string): readonly string[] {
  const { apology, fillers } = standardTexts(language);
  return [...fillers, apology];
}
