/** Texts that the agent speaks without its model, in the language of the call. */
export interface StandardTexts {
  /** Said before a call ends because a provider failed. */
  apology: string;
  /** Said when the caller's words were lost. */
  repeatRequest: string;
  /** Said in this order while an answer takes long. */
  fillers: readonly string[];
  /** Said instead of an answer that did not come. The call continues. */
  noAnswer: string;
  /** Said to a caller who is silent, by agents that do not ask in their own words. */
  reminder: string;
  /** Said by an agent that hangs up without a word. */
  farewell: string;
}

/** Texts of an agent instead of the standard ones. */
export type AgentPhrases = Partial<StandardTexts>;

const ENGLISH: StandardTexts = {
  apology: "I'm sorry, I'm having technical difficulties. Please try again later. Goodbye.",
  repeatRequest: "I'm sorry, could you say that again?",
  reminder: "Are you still there?",
  farewell: "Goodbye!",
  fillers: ["One moment, please.", "I'm still here, just a moment longer."],
  noAnswer: "I'm sorry, I can't get an answer to that right now. Can I help you with something else?",
};

const BY_LANGUAGE: Readonly<Record<string, StandardTexts>> = {
  en: ENGLISH,
  de: {
    apology:
      "Es tut mir leid, es gibt gerade technische Schwierigkeiten. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.",
    repeatRequest: "Entschuldigung, können Sie das bitte wiederholen?",
    reminder: "Sind Sie noch da?",
    farewell: "Auf Wiederhören!",
    fillers: ["Einen Moment, bitte.", "Ich bin noch da, es dauert nur noch einen Augenblick."],
    noAnswer: "Es tut mir leid, darauf bekomme ich gerade keine Antwort. Kann ich Ihnen anders weiterhelfen?",
  },
  fr: {
    apology:
      "Je suis désolé, nous rencontrons un problème technique. Veuillez réessayer plus tard. Au revoir.",
    repeatRequest: "Pardon, pourriez-vous répéter ?",
    reminder: "Vous êtes toujours là ?",
    farewell: "Au revoir !",
    fillers: ["Un instant, s'il vous plaît.", "Je suis toujours là, encore un petit instant."],
    noAnswer:
      "Je suis désolé, je n'arrive pas à obtenir de réponse pour le moment. Puis-je vous aider autrement ?",
  },
  es: {
    apology: "Lo siento, tenemos un problema técnico. Por favor, inténtelo más tarde. Adiós.",
    repeatRequest: "Perdone, ¿puede repetirlo?",
    reminder: "¿Sigue ahí?",
    farewell: "¡Adiós!",
    fillers: ["Un momento, por favor.", "Sigo aquí, solo un momento más."],
    noAnswer: "Lo siento, ahora mismo no consigo una respuesta. ¿Puedo ayudarle en otra cosa?",
  },
  it: {
    apology: "Mi dispiace, abbiamo un problema tecnico. La preghiamo di riprovare più tardi. Arrivederci.",
    repeatRequest: "Mi scusi, può ripetere?",
    reminder: "È ancora in linea?",
    farewell: "Arrivederci!",
    fillers: ["Un momento, per favore.", "Sono ancora qui, solo un altro momento."],
    noAnswer: "Mi dispiace, al momento non riesco ad avere una risposta. Posso aiutarla con altro?",
  },
  pt: {
    apology: "Desculpe, estamos com um problema técnico. Por favor, tente mais tarde. Adeus.",
    repeatRequest: "Desculpe, pode repetir?",
    reminder: "Ainda está aí?",
    farewell: "Adeus!",
    fillers: ["Um momento, por favor.", "Ainda estou aqui, só mais um momento."],
    noAnswer: "Desculpe, neste momento não consigo obter uma resposta. Posso ajudar com outra coisa?",
  },
  nl: {
    apology: "Het spijt me, er is een technische storing. Probeert u het later nog eens. Tot ziens.",
    repeatRequest: "Sorry, kunt u dat herhalen?",
    reminder: "Bent u er nog?",
    farewell: "Tot ziens!",
    fillers: ["Een ogenblikje, alstublieft.", "Ik ben er nog, nog heel even geduld."],
    noAnswer: "Het spijt me, ik krijg daar nu geen antwoord op. Kan ik u ergens anders mee helpen?",
  },
  pl: {
    apology: "Przepraszam, mamy problemy techniczne. Proszę spróbować później. Do widzenia.",
    repeatRequest: "Przepraszam, czy można prosić o powtórzenie?",
    reminder: "Halo, czy mnie słychać?",
    farewell: "Do widzenia!",
    fillers: ["Chwileczkę, proszę.", "Nadal tu jestem, jeszcze tylko chwila."],
    noAnswer: "Przepraszam, w tej chwili nie mogę uzyskać odpowiedzi. Czy mogę pomóc w czymś innym?",
  },
  ja: {
    apology:
      "申し訳ございません。ただいま技術的な問題が発生しております。後ほどおかけ直しください。失礼いたします。",
    repeatRequest: "恐れ入りますが、もう一度おっしゃっていただけますか。",
    reminder: "もしもし、聞こえていますか。",
    farewell: "失礼いたします。",
    fillers: ["少々お待ちください。", "ただいま確認しております。もう少々お待ちください。"],
    noAnswer: "申し訳ございません。ただいまお答えできません。ほかにお手伝いできることはございますか。",
  },
  zh: {
    apology: "很抱歉，我们现在遇到了技术问题，请稍后再试。再见。",
    repeatRequest: "不好意思，您能再说一遍吗？",
    reminder: "您还在吗？",
    farewell: "再见！",
    fillers: ["请稍等。", "我还在，请再稍等一下。"],
    noAnswer: "很抱歉，我现在无法得到答案。还有什么可以帮您的吗？",
  },
  hi: {
    apology: "क्षमा कीजिए, अभी तकनीकी समस्या आ रही है। कृपया बाद में फिर कोशिश कीजिए। नमस्ते।",
    repeatRequest: "क्षमा कीजिए, क्या आप फिर से कह सकते हैं?",
    reminder: "क्या आप अभी भी लाइन पर हैं?",
    farewell: "नमस्ते!",
    fillers: ["एक क्षण, कृपया।", "मैं यहीं हूँ, बस थोड़ा और समय दीजिए।"],
    noAnswer: "क्षमा कीजिए, अभी मुझे इसका उत्तर नहीं मिल रहा है। क्या मैं किसी और बात में आपकी मदद कर सकता हूँ?",
  },
  ar: {
    apology: "عذراً، نواجه مشكلة تقنية الآن. يُرجى المحاولة لاحقاً. مع السلامة.",
    repeatRequest: "عذراً، هل يمكنك إعادة ما قلته؟",
    reminder: "هل ما زلت معي؟",
    farewell: "مع السلامة!",
    fillers: ["لحظة من فضلك.", "ما زلت هنا، لحظة أخرى من فضلك."],
    noAnswer: "عذراً، لا أستطيع الحصول على إجابة الآن. هل يمكنني مساعدتك في شيء آخر؟",
  },
};

/** Standard texts of a BCP 47 language; English if there are none for it. */
export function standardTexts(language: string): StandardTexts {
  return findStandardTexts(language) ?? ENGLISH;
}

/** Whether there are standard texts in the BCP 47 language itself. */
export function hasStandardTexts(language: string): boolean {
  return findStandardTexts(language) !== undefined;
}

function findStandardTexts(language: string): StandardTexts | undefined {
  return BY_LANGUAGE[language.split("-")[0]?.toLowerCase() ?? ""];
}

/** The standard texts of a language with those that an agent has instead. */
export function textsOf({ language, phrases }: { language: string; phrases?: AgentPhrases }): StandardTexts {
  return { ...standardTexts(language), ...phrases };
}

/** The texts needed when a voice fails, the most urgent first. */
export function emergencyTexts(language: string, phrases: AgentPhrases = {}): readonly string[] {
  const { apology, fillers, noAnswer } = textsOf({ language, phrases });
  return [...fillers, noAnswer, apology];
}
