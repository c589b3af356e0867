const ENGLISH =
  "Good morning, and thank you for calling. Before we begin, let me tell you a little about the old lighthouse on the hill. " +
  "Every evening its keeper climbed ninety-nine steps, lit the lamp and wrote the weather into a thick blue book. Was it lonely? " +
  "Perhaps. But whenever a ship answered with its horn, he laughed, waved from the window, and wished the sailors a quiet night.";

const texts: Readonly<Record<string, string>> = {
  de:
    "Guten Morgen, und vielen Dank für Ihren Anruf. Bevor wir anfangen, erzähle ich Ihnen kurz vom alten Leuchtturm auf dem Hügel. " +
    "Jeden Abend stieg der Wärter neunundneunzig Stufen hinauf, zündete die Lampe an und schrieb das Wetter in ein dickes blaues Buch. " +
    "War er einsam? Vielleicht. Doch wenn ein Schiff mit dem Horn antwortete, lachte er und wünschte den Seeleuten eine ruhige Nacht.",
  en: ENGLISH,
  es:
    "Buenos días, y gracias por su llamada. Antes de empezar, le cuento algo del viejo faro de la colina. Cada tarde, el farero subía " +
    "noventa y nueve escalones, encendía la lámpara y anotaba el tiempo en un grueso libro azul. ¿Se sentía solo? Tal vez. Pero cuando un " +
    "barco respondía con su sirena, se reía, saludaba desde la ventana y deseaba a los marineros una noche tranquila.",
  fr:
    "Bonjour, et merci de votre appel. Avant de commencer, je vous parle un peu du vieux phare sur la colline. Chaque soir, le gardien " +
    "montait quatre-vingt-dix-neuf marches, allumait la lampe et notait le temps dans un épais livre bleu. Était-il seul ? Peut-être. Mais " +
    "quand un bateau répondait de sa corne, il riait, saluait par la fenêtre et souhaitait aux marins une nuit calme.",
};

/** A text of about 20 seconds to read aloud; `undefined` for languages without one. */
export function readingText(language: string): string | undefined {
  return texts[language.split("-")[0] ?? ""];
}
